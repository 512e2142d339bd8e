export const conditionTypes = {
  /** Summary of the conditions: players can connect. */
  ready: 'Ready',
  /** Condition that a node was found for the pod. */
  podScheduled: 'PodScheduled',
  /** Condition that the container accepts connections on its port. The message has the technical detail for organizers. */
  reachable: 'Reachable',
  /** Condition that traffic is being recorded. Present only if capture is enabled. */
  captureHealthy: 'CaptureHealthy',
} as const
