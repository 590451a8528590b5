import { imageVersion } from "../../../spec/placement/image-version.ts";

test.each([
  ["docker.io/karmada/karmada-scheduler:v1.18.2", "1.18.2"],
  ["registry.k8s.io/etcd:3.6.6-0", "3.6.6"],
  ["registry.example.org:5000/kube-apiserver:v1.35.3@sha256:00", "1.35.3"],
  ["registry.example.org/karmada-webhook:1.18.2_own.1", "1.18.2"],
  ["docker.io/karmada/karmada-scheduler:latest", undefined],
  ["registry.example.org:5000/kube-apiserver", undefined],
])("the version of %s is %s", (image, version) => expect(imageVersion(image)).toBe(version));
