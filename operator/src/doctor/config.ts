import { type GuardSettings, readGuardSettings } from '../guards/guards.ts'
import type { Way } from './examine.ts'

/** What the chart tells the doctor of its release. */
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

/**
 * Reads the configuration. Throws where a variable is missing.
 *
 * | Variable | Default | |
 * |---|---|---|
 * | CAPSTAN_DOCTOR_IMAGE | required | image of operator/doctor |
 * | CAPSTAN_RELEASE | required | name of the release |
 * | CAPSTAN_PLATFORM_NAMESPACE | required | its namespace |
 * | CAPSTAN_INSTANCE_NAMESPACE | required | namespace of challenge pods |
 * | CAPSTAN_INSTANCE_EGRESS | None | as for the api: None, Dns or Internet |
 * | CAPSTAN_INSTANCE_SECURITY | Restricted | as for the api: Restricted or Baseline |
 * | CAPSTAN_INSTANCE_RUNTIME_CLASS | none | as for the api |
 * | CAPSTAN_IMAGE_PULL_SECRETS | none | as for the api: Secrets in the instances' namespace, comma-separated |
 * | CAPSTAN_DOCTOR_CAPTURE | off | on: traffic of challenges is recorded |
 * | CAPSTAN_CAPTURE_PORT | 19100 | as for the operator |
 * | CAPSTAN_DOCTOR_PROCESSES | 4096 | how many processes a challenge must not be able to start |
 * | CAPSTAN_GUARD_NETWORK_POLICY, CAPSTAN_GUARD_QUOTA, CAPSTAN_GUARD_ADMISSION_POLICY, CAPSTAN_GUARD_POD_SECURITY | none | as for the operator |
 * | KUBERNETES_SERVICE_HOST, KUBERNETES_SERVICE_PORT | set by Kubernetes | the API server's service |
 */
export function readDoctorConfig(environment: NodeJS.ProcessEnv): DoctorConfig {
  function required(name: string): string {
    const value = environment[name]?.trim()
    if (!value) throw new Error(`${name} is required`)
    return value
  }
  const faults: string[] = []
  const guards = readGuardSettings(environment, faults)
  if (faults.length > 0) throw new Error(faults.join('; '))
  const egresses = ['None', 'Dns', 'Internet'] as const
  const runtimeClassName = environment.CAPSTAN_INSTANCE_RUNTIME_CLASS
  const pullSecrets = (environment.CAPSTAN_IMAGE_PULL_SECRETS ?? '').split(',').filter((name) => name !== '')
  return {
    instanceNamespace: required('CAPSTAN_INSTANCE_NAMESPACE'),
    platformNamespace: required('CAPSTAN_PLATFORM_NAMESPACE'),
    release: required('CAPSTAN_RELEASE'),
    way: {
      image: required('CAPSTAN_DOCTOR_IMAGE'),
      egress: egresses.find((egress) => egress === environment.CAPSTAN_INSTANCE_EGRESS) ?? 'None',
      security: {
        profile: environment.CAPSTAN_INSTANCE_SECURITY === 'Baseline' ? 'Baseline' : 'Restricted',
        ...(runtimeClassName ? { runtimeClassName } : {}),
      },
      capture: { enabled: environment.CAPSTAN_DOCTOR_CAPTURE === 'on' },
      ...(pullSecrets.length === 0 ? {} : { imagePullSecrets: pullSecrets }),
    },
    guards,
    capturePort: Number(environment.CAPSTAN_CAPTURE_PORT ?? 19_100),
    processes: Number(environment.CAPSTAN_DOCTOR_PROCESSES ?? 4096),
    apiServer: {
      host: required('KUBERNETES_SERVICE_HOST'),
      port: Number(environment.KUBERNETES_SERVICE_PORT ?? 443),
    },
  }
}
