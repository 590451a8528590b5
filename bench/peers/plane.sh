#!/usr/bin/env bash
# The peer of `up-fresh`: what an expert would write by hand. It starts the same programs as the dev stack in the
# best order, in parallel where nothing waits for anything, with openssl and kubectl, and ends when all members are Ready.
#
#   plane.sh DIRECTORY BASE_PORT     programs on PATH; CRDS = directory of Karmada's CRDs; STAGES = kwok's stages file
#
# Less than the product does: one administrator identity for every component, no supervision, no clean-up but `kill`.
set -euo pipefail
dir=$1 base=$2
mkdir -p "$dir"/{pki,log,kc,etcd}
cd "$dir"
trap 'kill $(jobs -p) 2>/dev/null || true' INT TERM

deadline() { # seconds, what, command...: until the command succeeds
  local end=$((SECONDS + $1)) what=$2; shift 2
  until "$@" >/dev/null 2>&1; do
    [ $SECONDS -lt $end ] || { echo "plane.sh: waited for $what in vain" >&2; exit 1; }
    sleep 0.05
  done
}
run() { local name=$1; shift; setsid "$@" >"log/$name.log" 2>&1 </dev/null & echo $! >>pids; }

ca() { openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 3650 -subj "/CN=$1" -keyout "pki/$1.key" -out "pki/$1.crt" -addext keyUsage=critical,keyCertSign,cRLSign,digitalSignature 2>/dev/null; }
leaf() { # name ca subject san
  openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "$3" -keyout "pki/$1.key" -out "pki/$1.csr" 2>/dev/null
  openssl x509 -req -in "pki/$1.csr" -CA "pki/$2.crt" -CAkey "pki/$2.key" -days 365 -out "pki/$1.crt" \
    -extfile <(printf 'keyUsage=digitalSignature\nextendedKeyUsage=serverAuth,clientAuth\n%s' "${4:+subjectAltName=$4}") 2>/dev/null
}
kubeconfig() { # name server ca client
  cat >"kc/$1" <<KC
apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "$2", certificate-authority: "$dir/pki/$3.crt"}}]
users: [{name: u, user: {client-certificate: "$dir/pki/$4.crt", client-key: "$dir/pki/$4.key"}}]
contexts: [{name: c, context: {cluster: c, user: u}}]
current-context: c
KC
}
local_names="IP:127.0.0.1,DNS:localhost"
ca etcd-ca & ca etcd-peer-ca & ca karmada-ca & ca front-proxy-ca & for m in 1 2 3; do ca "m$m-ca" & done
for key in sa m-sa; do { openssl ecparam -name prime256v1 -genkey -noout -out "pki/$key.key"; openssl ec -in "pki/$key.key" -pubout -out "pki/$key.pub" 2>/dev/null; } & done
wait
for i in 0 1 2; do leaf "etcd-$i" etcd-ca "/CN=etcd-$i" "$local_names" & leaf "etcd-$i-peer" etcd-peer-ca "/CN=etcd-$i" "$local_names" & done
leaf etcd-client etcd-ca /CN=client "" & leaf front-proxy-client front-proxy-ca /CN=front-proxy-client "" &
leaf apiserver karmada-ca /CN=karmada-apiserver "$local_names,IP:10.96.0.1,DNS:kubernetes.default.svc" &
leaf admin karmada-ca /O=system:masters/CN=system:admin "" &
for s in aggregated-apiserver search metrics-adapter webhook; do leaf "$s" karmada-ca "/CN=karmada-$s" "$local_names,DNS:karmada-$s.karmada-system.svc" & done
for m in 1 2 3; do leaf "m$m-server" "m$m-ca" /CN=m "$local_names,IP:10.97.0.1" & leaf "m$m-admin" "m$m-ca" /O=system:masters/CN=admin "" & done
wait
mkdir -p pki/webhook; cp pki/webhook.crt pki/webhook/tls.crt; cp pki/webhook.key pki/webhook/tls.key
api=$((base + 20)); kubeconfig karmada "https://127.0.0.1:$api" karmada-ca admin
for m in 1 2 3; do kubeconfig "m$m" "https://127.0.0.1:$((base + 40 + m * 5))" "m$m-ca" "m$m-admin"; done

cluster=""; endpoints=""
for i in 0 1 2; do cluster+="etcd-$i=https://127.0.0.1:$((base + 3 + i)),"; endpoints+="https://127.0.0.1:$((base + i)),"; done
for i in 0 1 2; do
  run "etcd-$i" etcd --name="etcd-$i" --data-dir="etcd/$i" --listen-client-urls="https://127.0.0.1:$((base + i))" --advertise-client-urls="https://127.0.0.1:$((base + i))" \
    --listen-peer-urls="https://127.0.0.1:$((base + 3 + i))" --initial-advertise-peer-urls="https://127.0.0.1:$((base + 3 + i))" --listen-metrics-urls="http://127.0.0.1:$((base + 6 + i))" \
    --initial-cluster="${cluster%,}" --initial-cluster-token=peer --client-cert-auth --trusted-ca-file=pki/etcd-ca.crt --cert-file="pki/etcd-$i.crt" --key-file="pki/etcd-$i.key" \
    --peer-client-cert-auth --peer-trusted-ca-file=pki/etcd-peer-ca.crt --peer-cert-file="pki/etcd-$i-peer.crt" --peer-key-file="pki/etcd-$i-peer.key"
done
leaf member-etcd etcd-ca /CN=member-etcd "$local_names"
run member-etcd etcd --name=m --data-dir=etcd/m --listen-client-urls="https://127.0.0.1:$((base + 9))" --advertise-client-urls="https://127.0.0.1:$((base + 9))" --listen-peer-urls="http://127.0.0.1:$((base + 10))" \
  --initial-advertise-peer-urls="http://127.0.0.1:$((base + 10))" --initial-cluster="m=http://127.0.0.1:$((base + 10))" --listen-metrics-urls="http://127.0.0.1:$((base + 11))" \
  --client-cert-auth --trusted-ca-file=pki/etcd-ca.crt --cert-file=pki/member-etcd.crt --key-file=pki/member-etcd.key
deadline 30 etcd curl -sf "http://127.0.0.1:$((base + 6))/readyz"

etcd_client=(--etcd-cafile=pki/etcd-ca.crt --etcd-certfile=pki/etcd-client.crt --etcd-keyfile=pki/etcd-client.key)
front_proxy=(--proxy-client-cert-file=pki/front-proxy-client.crt --proxy-client-key-file=pki/front-proxy-client.key --requestheader-client-ca-file=pki/front-proxy-ca.crt --requestheader-allowed-names=front-proxy-client
  --requestheader-extra-headers-prefix=X-Remote-Extra- --requestheader-group-headers=X-Remote-Group --requestheader-username-headers=X-Remote-User)
run kube-apiserver kube-apiserver --bind-address=127.0.0.1 --secure-port="$api" --endpoint-reconciler-type=none --etcd-servers="${endpoints%,}" "${etcd_client[@]}" "${front_proxy[@]}" \
  --allow-privileged=true --authorization-mode=Node,RBAC --enable-bootstrap-token-auth=true --client-ca-file=pki/karmada-ca.crt --disable-admission-plugins=StorageObjectInUseProtection,ServiceAccount \
  --service-account-issuer=https://kubernetes.default.svc.cluster.local --service-account-key-file=pki/sa.pub --service-account-signing-key-file=pki/sa.key --service-cluster-ip-range=10.96.0.0/12 \
  --tls-cert-file=pki/apiserver.crt --tls-private-key-file=pki/apiserver.key

member() {
  local m=$1 p=$((base + 40 + $1 * 5)) kc="kc/m$1"
  run "m$m-apiserver" kube-apiserver --bind-address=127.0.0.1 --secure-port="$p" --endpoint-reconciler-type=none --etcd-prefix="/m$m" --etcd-servers="https://127.0.0.1:$((base + 9))" "${etcd_client[@]}" \
    --authorization-mode=Node,RBAC --client-ca-file="pki/m$m-ca.crt" --service-account-issuer=https://kubernetes.default.svc.cluster.local --service-account-key-file=pki/m-sa.pub --service-account-signing-key-file=pki/m-sa.key \
    --service-cluster-ip-range=10.97.0.0/16 --allow-privileged=true --tls-cert-file="pki/m$m-server.crt" --tls-private-key-file="pki/m$m-server.key"
  deadline 60 "member $m" kubectl --kubeconfig="$kc" get --raw /readyz
  local auth=(--kubeconfig="$kc" --authentication-kubeconfig="$kc" --authorization-kubeconfig="$kc" --bind-address=127.0.0.1 --cert-dir="m$m" --leader-elect=false)
  run "m$m-kcm" kube-controller-manager "${auth[@]}" --secure-port=$((p + 1)) --root-ca-file="pki/m$m-ca.crt" --service-account-private-key-file=pki/m-sa.key --use-service-account-credentials=true
  run "m$m-scheduler" kube-scheduler "${auth[@]}" --secure-port=$((p + 2))
  run "m$m-kwok" kwok --kubeconfig="$kc" --manage-all-nodes=true --server-address="127.0.0.1:$((p + 3))" --node-lease-duration-seconds=40 --config="$STAGES"
  for n in 1 2; do
    cat <<NODE
---
{apiVersion: v1, kind: Node, metadata: {name: node-$n, annotations: {kwok.x-k8s.io/node: fake}, labels: {kubernetes.io/hostname: node-$n}}, status: {allocatable: {cpu: "8", memory: 32Gi, pods: "110"}, capacity: {cpu: "8", memory: 32Gi, pods: "110"}}}
NODE
  done | kubectl --kubeconfig="$kc" apply -f - >/dev/null
}
for m in 1 2 3; do member "$m" & members+=($!); done

export KUBECONFIG=$dir/kc/karmada
deadline 60 apiserver kubectl get --raw /readyz
aggregated=(--kubeconfig=kc/karmada --authentication-kubeconfig=kc/karmada --authorization-kubeconfig=kc/karmada --bind-address=127.0.0.1)
for s in aggregated-apiserver:1 search:2; do
  x=${s%:*}
  run "$x" "karmada-$x" "${aggregated[@]}" --secure-port=$((api + ${s#*:})) --tls-cert-file="pki/$x.crt" --tls-private-key-file="pki/$x.key" --etcd-servers="${endpoints%,}" "${etcd_client[@]}"
done
run metrics-adapter karmada-metrics-adapter "${aggregated[@]}" --secure-port=$((api + 3)) --tls-cert-file=pki/metrics-adapter.crt --tls-private-key-file=pki/metrics-adapter.key --client-ca-file=pki/karmada-ca.crt --metrics-bind-address="127.0.0.1:$((api + 4))"
run webhook karmada-webhook --kubeconfig=kc/karmada --bind-address=127.0.0.1 --secure-port=$((api + 5)) --cert-dir=pki/webhook --metrics-bind-address="127.0.0.1:$((api + 6))" --health-probe-bind-address="127.0.0.1:$((api + 7))"
run kcm kube-controller-manager --kubeconfig=kc/karmada --authentication-kubeconfig=kc/karmada --authorization-kubeconfig=kc/karmada --bind-address=127.0.0.1 --secure-port=$((api + 8)) --cert-dir=kcm \
  --controllers=namespace,garbagecollector,serviceaccount-token,ttl-after-finished,bootstrapsigner,tokencleaner,csrcleaner,csrsigning,clusterrole-aggregation --cluster-signing-cert-file=pki/karmada-ca.crt \
  --cluster-signing-key-file=pki/karmada-ca.key --root-ca-file=pki/karmada-ca.crt --service-account-private-key-file=pki/sa.key --use-service-account-credentials=true
bundle=$(base64 -w0 pki/karmada-ca.crt)
{
  for ns in karmada-system karmada-cluster; do printf -- '---\n{apiVersion: v1, kind: Namespace, metadata: {name: %s}}\n' $ns; done
  sed -s '1i---' "$CRDS"/bases/*/*.yaml
} | kubectl apply --server-side -f - >/dev/null
{
  for entry in aggregated-apiserver:1:v1alpha1.cluster search:2:v1alpha1.search; do
    IFS=: read -r x offset api_version <<<"$entry"
    cat <<SERVICE
---
{apiVersion: v1, kind: Service, metadata: {name: karmada-$x, namespace: karmada-system}, spec: {type: ExternalName, externalName: localhost}}
---
{apiVersion: apiregistration.k8s.io/v1, kind: APIService, metadata: {name: $api_version.karmada.io}, spec: {group: ${api_version#*.}.karmada.io, version: v1alpha1, caBundle: $bundle, groupPriorityMinimum: 2000, versionPriority: 10, service: {name: karmada-$x, namespace: karmada-system, port: $((api + offset))}}}
SERVICE
  done
  printf -- '---\n{apiVersion: admissionregistration.k8s.io/v1, kind: MutatingWebhookConfiguration, metadata: {name: mutating-config}, webhooks: ['
  for hook in policy:propagationpolicies policy:clusterpropagationpolicies work:resourcebindings work:works; do
    printf '{name: %s.karmada.io, rules: [{operations: [CREATE, UPDATE], apiGroups: [%s.karmada.io], apiVersions: ["*"], resources: [%s], scope: "*"}], clientConfig: {url: "https://127.0.0.1:%s/mutate-%s", caBundle: %s}, failurePolicy: Fail, sideEffects: None, admissionReviewVersions: [v1], timeoutSeconds: 3},' \
      "${hook#*:}" "${hook%:*}" "${hook#*:}" $((api + 5)) "$(sed -E 's/ies$/y/;s/s$//' <<<"${hook#*:}")" "$bundle"
  done
  echo ']}'
} | kubectl apply --server-side -f - >/dev/null
run controller-manager karmada-controller-manager --kubeconfig=kc/karmada --metrics-bind-address="127.0.0.1:$((api + 9))" --health-probe-bind-address="127.0.0.1:$((api + 10))" --cluster-status-update-frequency=10s --leader-elect-resource-namespace=karmada-system
run scheduler karmada-scheduler --kubeconfig=kc/karmada --metrics-bind-address="127.0.0.1:$((api + 11))" --health-probe-bind-address="127.0.0.1:$((api + 12))" --leader-elect-resource-namespace=karmada-system --enable-scheduler-estimator=false
run descheduler karmada-descheduler --kubeconfig=kc/karmada --metrics-bind-address="127.0.0.1:$((api + 13))" --health-probe-bind-address="127.0.0.1:$((api + 14))" --leader-elect-resource-namespace=karmada-system
deadline 60 "the cluster API" kubectl get clusters
wait "${members[@]}"
joins=()
for m in 1 2 3; do karmadactl join "member$m" --kubeconfig=kc/karmada --cluster-kubeconfig="kc/m$m" >"log/join-$m.log" 2>&1 & joins+=($!); done
wait "${joins[@]}"
deadline 60 "three members Ready" bash -c '[ "$(kubectl get clusters --no-headers | grep -c True)" = 3 ]'
