/** Condition types of an instance's status. */
export const conditionTypes = {
  /** Players can connect: the summary. */
  ready: 'Ready',
  /** A node was found. */
  podScheduled: 'PodScheduled',
  /** The container accepts connections on its port; with the technical detail for organizers. */
  reachable: 'Reachable',
  /** Traffic is being recorded; present only where that is wanted. */
  captureHealthy: 'CaptureHealthy',
} as const
