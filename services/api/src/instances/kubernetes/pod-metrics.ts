import type { MeasuredUsages } from '../runtime.ts'

/** The container beside the recorder; only its use is limited by the challenge. */
const challengeContainer = 'challenge'

/** A PodMetricsList of metrics.k8s.io, as far as it is read. */
interface PodMetricsList {
  readonly items?: readonly {
    readonly metadata: { readonly name: string }
    readonly containers?: readonly {
      readonly name: string
      readonly usage: { readonly cpu?: string; readonly memory?: string }
    }[]
  }[]
}

const factors: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 1024,
  Mi: 1024 ** 2,
  Gi: 1024 ** 3,
  Ti: 1024 ** 4,
}

/** A quantity of Kubernetes as a number: `250m` is 0.25, `12Ki` is 12288. @returns NaN for what is none */
export const readQuantity = (text: string | undefined): number => {
  const [, number, suffix = ''] = /^(\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)(\D*)$/.exec(text ?? '') ?? []
  return number === undefined ? Number.NaN : Number(number) * (factors[suffix] ?? Number.NaN)
}

/**
 * What the challenges' containers use, by id of the instance.
 * @param idOf the instance whose pod has this name; undefined: nobody's
 */
export const readPodMetrics = (list: unknown, idOf: (name: string) => string | undefined): MeasuredUsages => {
  const { items = [] } = list as PodMetricsList
  return new Map(
    items.flatMap(({ metadata, containers = [] }) => {
      const id = idOf(metadata.name)
      const usage = containers.find(({ name }) => name === challengeContainer)?.usage
      const [cores, bytes] = [readQuantity(usage?.cpu), readQuantity(usage?.memory)]
      if (id === undefined || Number.isNaN(cores + bytes)) return []
      return [[id, { cpuMillicores: Math.round(cores * 1_000), memoryBytes: Math.round(bytes) }] as const]
    }),
  )
}
