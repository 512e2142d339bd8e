import { type ChallengeInstance, challengeInstances } from '@capstan/challenge-instance/challenge-instance'
import { fieldManager } from '@capstan/challenge-instance/names'
import { ApiError, hasErrorStatus, isNotFoundError, type JsonPatchStep, type KubeClient } from '@capstan/kubernetes/client'
import type { Informer } from '@capstan/kubernetes/informer'
import type { DesiredObject, KubeObject, Resource } from '@capstan/kubernetes/types'
import { RefusedWrite } from './refusals.ts'

export async function applyChild<T extends KubeObject>(
  resource: Resource<T>,
  desired: DesiredObject,
  { client, cache }: { client: KubeClient; cache: Informer<T> },
): Promise<void> {
  try {
    cache.recordWrite(await client.apply(resource, desired, fieldManager))
  } catch (error) {
    throw error instanceof ApiError ? new RefusedWrite(resource.kind, error) : error
  }
}

/** Deletes this object, but not a successor with the same name. Does not fail if the object is missing. */
export async function deleteObjectIfExists(
  client: KubeClient,
  resource: Resource,
  { metadata }: KubeObject,
  gracePeriodSeconds?: number,
): Promise<void> {
  try {
    await client.delete(resource, metadata.namespace, metadata.name, {
      preconditions: { uid: metadata.uid },
      ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    })
  } catch (error) {
    if (!isNotFoundError(error)) throw error
  }
}

/**
 * Patches an instance if it is unchanged since it was read. Otherwise the patch fails, and the watch event triggers the next
 * pass.
 */
export async function patchInstanceUnlessChanged(
  client: KubeClient,
  { metadata }: ChallengeInstance,
  steps: JsonPatchStep[],
): Promise<void> {
  try {
    await client.patchJson(challengeInstances, metadata.namespace ?? '', metadata.name, steps)
  } catch (error) {
    if (!hasErrorStatus(error, 404, 422)) throw error
  }
}
