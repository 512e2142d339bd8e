import type { ContainerInspector, InstanceRuntime, InstanceSpec } from './runtime.ts'

export type CombinedRuntimeOptions = Readonly<{
  first: InstanceRuntime
  second: InstanceRuntime
  /** Returns true if the runtime `first` runs this instance, and false if the runtime `second` runs it. */
  isForFirst: (spec: InstanceSpec) => boolean
}>

/** Combines two runtimes, for a machine that runs the bundled challenges as processes and all other challenges as containers. */
export function createCombinedRuntime({ first, second, isForFirst }: CombinedRuntimeOptions): InstanceRuntime {
  const both = [first, second] as const
  const inspectorOf = (id: string) => (first.find(id) ? first : second).containers
  const containers: ContainerInspector = {
    find: (id) => inspectorOf(id)?.find(id),
    openLog: async (id, container, options) => inspectorOf(id)?.openLog?.(id, container, options),
  }
  return {
    exposure: 'Proxy',
    async readUsage() {
      const known = (await Promise.all(both.map(async (runtime) => runtime.readUsage?.()))).filter(
        (usages) => usages !== undefined,
      )
      return known.length > 0 ? new Map(known.flatMap((usages) => [...usages])) : undefined
    },
    containers,
    create: (spec) => (isForFirst(spec) ? first : second).create(spec),
    async extend(id, expiresAt) {
      await Promise.all(both.map((runtime) => runtime.extend(id, expiresAt)))
    },
    /**
     * After a restart it is unknown which runtime runs the instance, so the call is passed to both runtimes. Both
     * runtimes ignore unknown ids.
     */
    async delete(id) {
      await Promise.all(both.map((runtime) => runtime.delete(id)))
    },
    find: (id) => first.find(id) ?? second.find(id),
    async exists(id) {
      const answers = await Promise.all(both.map((runtime) => runtime.exists?.(id) ?? runtime.find(id) !== undefined))
      return answers.includes(true)
    },
    list() {
      const [one, other] = [first.list(), second.list()]
      return one && other && [...one, ...other]
    },
    watch(listener) {
      const ends = both.map((runtime) => runtime.watch(listener))
      return () => {
        for (const end of ends) end()
      }
    },
    async close() {
      await Promise.all(both.map((runtime) => runtime.close()))
    },
  }
}
