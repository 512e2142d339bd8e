export const conditionTypes = {
  /** Summary: players can connect. */
  ready: 'Ready',
  /** A node was found for the pod. */
  podScheduled: 'PodScheduled',
  /** The container accepts connections on its port. The message has the technical detail for organizers. */
  reachable: 'Reachable',
  /** Traffic is being recorded. Present only if capture is enabled. */
  captureHealthy: 'CaptureHealthy',
} as const
