/** Condition types. */
export const conditionTypes = {
  ready: 'Ready',
  podScheduled: 'PodScheduled',
  reachable: 'Reachable',
  captureHealthy: 'CaptureHealthy',
} as const

/**
 * Every reason of the condition Ready: the sentence that a player may read, and whether it is final, which means that the instance
 * will not become ready unless somebody changes something. The api gives up waiting at a final one; the operator never gives up.
 */
export const readyReasons = {
  Ready: { final: false, message: 'The challenge is running.' },
  Starting: { final: false, message: 'The challenge is starting.' },
  Scheduling: { final: false, message: 'The challenge is waiting for a free place in the cluster.' },
  Pulling: { final: false, message: 'The image of the challenge is being downloaded.' },
  Restarting: { final: false, message: 'The challenge stopped and is being started again.' },
  NotAnswering: { final: false, message: 'The challenge is running but does not answer on its port.' },
  Ending: { final: false, message: 'The challenge has ended.' },
  Evicted: {
    final: false,
    message: 'The challenge used more of the machine than it may, or had to make room. It is being started again.',
  },
  PodFailed: { final: false, message: 'The challenge failed and is being started again.' },
  ImagePullFailed: { final: true, message: 'The challenge image could not be downloaded. Please tell the organizers.' },
  InvalidImage: { final: true, message: 'The name of the challenge image is not valid. Please tell the organizers.' },
  ImageRunsAsRoot: {
    final: true,
    message: 'The challenge image runs as root, which is not allowed here. Please tell the organizers.',
  },
  CrashLooping: {
    final: true,
    message: 'The challenge keeps stopping right after it starts. Please tell the organizers.',
  },
  ContainerFailed: { final: true, message: 'The challenge could not be started. Please tell the organizers.' },
  Unschedulable: { final: true, message: 'The cluster has no room for the challenge right now. Please try again later.' },
  QuotaExceeded: { final: true, message: 'All slots for instances are taken right now. Please try again later.' },
  PodRefused: { final: true, message: 'The cluster refused the challenge. Please tell the organizers.' },
  FlagMissing: { final: true, message: 'The flag of the challenge is missing. Please tell the organizers.' },
  NameTaken: {
    final: true,
    message: 'Another object in the cluster already has the name of this instance. Please tell the organizers.',
  },
} as const satisfies Record<string, { final: boolean; message: string }>

export type ReadyReason = keyof typeof readyReasons

/** Reasons of CaptureHealthy. */
export const captureReasons = {
  Capturing: 'Traffic is being recorded.',
  CaptureNotConfigured: 'Traffic is not recorded: the operator has no capture image (CAPSTAN_CAPTURE_IMAGE).',
  CaptureStarting: 'The recording has not begun yet.',
  CaptureFailed: 'The recording container does not run.',
} as const

/** Reason of the Kubernetes event at the end of an instance's time. */
export const expiredReason = 'Expired'

/** Reason of the Kubernetes event when an instance goes before its recordings were fetched. */
export const captureLostReason = 'CaptureLost'
