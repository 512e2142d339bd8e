import { type Environment, readSettings } from '@capstan/settings/read'
import type { GuardSettings } from '../guards/guards.ts'
import type { ProbeInstanceSpec } from './run-probes.ts'
import { doctorSettings } from './settings.ts'

/** Settings of the release that the chart passes to the doctor, through the environment variables in `settings.ts`. */
export interface DoctorConfig {
  instanceNamespace: string
  platformNamespace: string
  release: string
  instanceSpec: ProbeInstanceSpec
  /** Names of the guards, which are the objects that must protect challenges. */
  guards: GuardSettings
  capturePort: number
  /** Number of processes that a challenge must not be able to start. */
  processes: number
  apiServer: { host: string; port: number }
}

/** @throws SettingsError that lists every invalid setting */
export function readDoctorConfig(environment: Environment): DoctorConfig {
  return readSettings(environment, (reader) => {
    const {
      image,
      egress,
      securityProfile,
      runtimeClassName,
      imagePullSecrets = [],
      isRecorded,
    } = reader.read(doctorSettings.instanceSpec)
    return {
      ...reader.read(doctorSettings.process),
      instanceSpec: {
        image,
        egress,
        security: { profile: securityProfile, ...(runtimeClassName === undefined ? {} : { runtimeClassName }) },
        capture: { enabled: isRecorded },
        ...(imagePullSecrets.length === 0 ? {} : { imagePullSecrets: [...imagePullSecrets] }),
      },
      guards: reader.read(doctorSettings.guards),
      apiServer: reader.read(doctorSettings.apiServer),
    }
  })
}
