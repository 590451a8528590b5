/** The engine's limit for one message, 400 MB. https://github.com/pulumi/pulumi/blob/v3.259.0/sdk/go/common/util/rpcutil/serve.go */
const MAX_MESSAGE_BYTES = 400 * 1024 * 1024;

/** For servers and clients alike, all on this machine: no proxy stands before it. */
export const channelOptions = {
  "grpc.enable_http_proxy": 0,
  "grpc.max_receive_message_length": MAX_MESSAGE_BYTES,
  "grpc.max_send_message_length": MAX_MESSAGE_BYTES,
};
