function GetReplicas(desiredObj)
  local requirement = { resourceRequest = desiredObj.spec.server.resources.requests }
  return desiredObj.spec.servers, requirement
end
