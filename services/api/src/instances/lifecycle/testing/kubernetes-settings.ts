import { allChoices } from '@capstan/contract/container-definition'
import type { KubernetesSettings } from '../kubernetes/instance-objects.ts'

/**
 * Returns settings without optional fields, for the namespace of a test. The security profile is Baseline,
 * because the test images run as root.
 */
export function aKubernetesSettings(namespace: string): KubernetesSettings {
  return {
    namespace,
    exposure: 'Proxy',
    egress: 'None',
    flagEnvironmentNames: [],
    imagePullSecrets: [],
    pidsLimit: 64,
    runtimeClassName: undefined,
    captureLimits: { maxSegmentMb: 1, maxSegmentSeconds: 5, maxStoredMb: 16 },
    securityProfile: 'Baseline',
    choices: allChoices,
  }
}
