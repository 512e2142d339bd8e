export const conditionTypes = {
  /** Type of the condition that is true if players can connect. This condition summarizes the other conditions. */
  ready: 'Ready',
  /** Type of the condition that is true if a node was found for the pod. */
  podScheduled: 'PodScheduled',
  /**
   * Type of the condition that is true if the container accepts connections on its port. Its message contains the technical detail
   * for organizers.
   */
  reachable: 'Reachable',
  /**
   * Type of the condition that is true if traffic is being recorded. This condition is present only if the recording of traffic is
   * enabled.
   */
  captureHealthy: 'CaptureHealthy',
} as const
