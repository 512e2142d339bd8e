import { Limits } from '@capstan/contract/limits'
import { ownOperations } from '@capstan/contract/operations'
import { useEffect, useState } from 'react'
import { addressOfCall, openFile } from '../../lib/http.ts'
import { createLineCollector, type LogLine } from './log-lines.ts'

/** Minimum time between two updates of the page, in ms. A container may write thousands of lines in a second. */
const updateMs = 100

export type ContainerLog = Readonly<{
  /** Known lines. Undefined until the server responds. */
  lines: readonly LogLine[] | undefined
  /** True while new lines arrive. */
  isLive: boolean
  error: unknown
}>

const loading: ContainerLog = { lines: undefined, isLive: true, error: undefined }

/**
 * Returns the last lines of a container's output. While `isFollowing` is true, new lines are added.
 * @param attempt number of the attempt. A new number opens the log again
 */
export function useContainerLog(id: string, name: string, { isFollowing, attempt }: { isFollowing: boolean; attempt: number }) {
  const [log, setLog] = useState(loading)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new attempt opens the log again
  useEffect(() => {
    if (!isFollowing) return
    const stop = new AbortController()
    const collector = createLineCollector(Limits.maxLogTailLines)
    let timer: ReturnType<typeof setTimeout> | undefined
    const change = (more: Partial<ContainerLog>) => {
      clearTimeout(timer)
      timer = undefined
      if (!stop.signal.aborted) setLog((known) => ({ ...known, ...more }))
    }
    const read = async () => {
      const address = addressOfCall(ownOperations.readContainerLog, { params: { id, name }, query: { follow: true } })
      const { body } = await openFile(address, stop.signal)
      // The lines of an earlier attempt remain visible until new lines arrive.
      if (!stop.signal.aborted) setLog(({ lines = [] }) => ({ lines, isLive: true, error: undefined }))
      const reader = body?.getReader()
      for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) {
        collector.add(next.value)
        timer ??= setTimeout(() => change({ lines: collector.lines() }), updateMs)
      }
    }
    read().then(
      () => change({ isLive: false, lines: collector.lines() }),
      (error: unknown) => change({ isLive: false, error }),
    )
    return () => {
      stop.abort()
      clearTimeout(timer)
      setLog((known) => ({ ...known, isLive: false, error: undefined }))
    }
  }, [id, name, isFollowing, attempt])
  return log
}
