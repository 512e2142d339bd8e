import type { Job } from './bench.ts'
import { boardJob, watchingJob } from './jobs/board.ts'
import { firstVisitJob } from './jobs/first-visit.ts'
import { flagsJob } from './jobs/flags.ts'
import { hubJob } from './jobs/hub.ts'
import { instancesJob } from './jobs/instances.ts'
import { lighthouseJob } from './jobs/lighthouse.ts'
import { loginStormJob } from './jobs/login-storm.ts'
import { proxyJob, reachHttpJob, reachIdleJob } from './jobs/reach.ts'
import { rebuildJob } from './jobs/rebuild.ts'
import { sizesJob } from './jobs/sizes.ts'
import { viewsJob } from './jobs/views.ts'

/** All jobs, in the order of the table. */
export const jobs: readonly Job[] = [
  ...[boardJob, watchingJob, viewsJob, flagsJob, rebuildJob, loginStormJob, firstVisitJob, sizesJob],
  ...[hubJob, proxyJob, reachHttpJob, reachIdleJob, instancesJob, lighthouseJob],
]
