export const conditionTypes = {
  /** Condition that players can connect. It summarizes the other conditions. */
  ready: 'Ready',
  /** Condition that a node was found for the pod. */
  podScheduled: 'PodScheduled',
  /** Condition that the container accepts connections on its port. The message has the technical detail for organizers. */
  reachable: 'Reachable',
  /** Condition that traffic is being recorded. It is present only if the recording of traffic is enabled. */
  captureHealthy: 'CaptureHealthy',
} as const
