import { allChoices } from '@capstan/contract/container-definition'
import type { EngineSettings } from '../container/plan.ts'

/** Returns the settings of a container engine that allows egress. */
export function createEngineSettings(owner: string): EngineSettings {
  return {
    ...{ owner, publishHost: '127.0.0.1', flagEnvironmentNames: ['CTF_FLAG'], pidsLimit: 64 },
    ...{ egress: 'None', choices: allChoices },
  }
}
