import { type ChallengeInstance, challengeInstances } from '@capstan/challenge-instance/challenge-instance'
import type { WatchEvent } from '@capstan/kubernetes/client'
import type { TestCluster } from './cluster.ts'

/**
 * Records all values that an instance has after the given version, even if they are soon replaced.
 * @param select returns the value to record
 */
export function followInstance<Value>(
  { client, namespace }: TestCluster,
  { name, resourceVersion = '' }: ChallengeInstance['metadata'],
  select: (instance: ChallengeInstance) => Value,
) {
  const seen = new Set<Value>()
  const ending = new AbortController()
  const onEvent = ({ object }: WatchEvent<ChallengeInstance>) => {
    if (object.metadata.name === name) seen.add(select(object))
  }
  const options = { resourceVersion, timeoutSeconds: 1800, signal: ending.signal, onOpen: () => {}, onEvent }
  // The test aborts the watch, so the watch ends with an error.
  void client.watch(challengeInstances, { namespace }, options).catch(() => {})
  return { seen, end: () => ending.abort() }
}
