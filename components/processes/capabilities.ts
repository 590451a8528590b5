/** Settings of a systemd unit that let its program do what otherwise only root may (capabilities(7)). */
export const granted = (...capabilities: readonly string[]) => ({
  CapabilityBoundingSet: [capabilities.join(" ")],
  AmbientCapabilities: [capabilities.join(" ")],
});
