import { type Environment, readSettings } from '@capstan/settings/read'
import type { GuardSettings } from '../guards/guards.ts'
import type { Way } from './examine.ts'
import { doctorSettings } from './settings.ts'

/** What the chart tells the doctor of its release, by the variables of `settings.ts`. */
export interface DoctorConfig {
  instanceNamespace: string
  platformNamespace: string
  /** Name of the release: value of the label app.kubernetes.io/instance. */
  release: string
  way: Way
  /** What must be in place around challenges. */
  guards: GuardSettings
  capturePort: number
  /** How many processes a challenge must not be able to start. */
  processes: number
  apiServer: { host: string; port: number }
}

/** @throws SettingsError listing every fault */
export const readDoctorConfig = (environment: Environment): DoctorConfig =>
  readSettings(environment, (reader) => {
    const {
      image,
      egress,
      securityProfile,
      runtimeClassName,
      imagePullSecrets = [],
      isRecorded,
    } = reader.read(doctorSettings.way)
    return {
      ...reader.read(doctorSettings.process),
      way: {
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
