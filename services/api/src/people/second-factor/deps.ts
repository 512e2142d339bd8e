import type { PeopleDeps } from '../deps.ts'

export type SecondFactorDeps = Pick<PeopleDeps, 'db' | 'clock' | 'config' | 'passwords'>
