import { sortFlags } from '@capstan/challenge-files/challenge/flags'
import { normalizeReach } from '@capstan/challenge-files/challenge/read'
import { normalizeDefinition } from '@capstan/challenge-files/format/container'
import type { Challenge } from '@capstan/contract/challenge'
import { containerOf, defaultContainer } from '@capstan/contract/challenge-parts'
import type { ContainerDefinition } from '@capstan/contract/container-definition'
import { plainLines } from './digest.ts'

/** Fields whose values are not printed, because readers of CI logs must not see flags. */
export const secretChallengeFields: ReadonlySet<string> = new Set(['flags', 'template'])

/**
 * Returns each setting of a container as a separate field. null means the default. `flagPlaces` is the place where the container
 * reads its flag.
 */
function definitionFields(definition: ContainerDefinition, entry: number) {
  const plain = normalizeDefinition(definition, entry)
  return {
    command: plain.command ?? null,
    args: plain.args ?? null,
    environment: plain.environment ?? null,
    flagPlaces: plain.flag ?? null,
    user: plain.user ?? null,
    group: plain.group ?? null,
    readOnlyRoot: plain.readOnlyRoot ?? null,
    writablePaths: plain.writablePaths ?? null,
    egress: plain.egress ?? null,
    security: plain.security ?? null,
    exposure: plain.exposure ?? null,
    furtherPorts: plain.furtherPorts ?? null,
    offeredPorts: plain.offeredPorts ?? null,
    plainPort: plain.plainPort ?? null,
    readiness: plain.readiness ?? null,
    startTimeoutSeconds: plain.startTimeoutSeconds ?? null,
    pullSecret: plain.pullSecret ?? null,
  }
}

export const definitionFieldNames: readonly string[] = Object.keys(definitionFields({}, defaultContainer.port))

export function secretNamesOf(challenge: Pick<Challenge, 'containers'>): string[] {
  return (containerOf(challenge).definition.secrets ?? []).map(({ name }) => name).sort()
}

/** Returns the compared fields of a challenge, in a file or on the platform. It omits the type, which never changes. */
export function fieldsOf(challenge: Challenge): Readonly<Record<string, unknown>> {
  const { type: _, containers: __, ...fields } = challenge
  const { name: ___, definition, ...container } = containerOf(challenge)
  return {
    ...fields,
    description: plainLines(challenge.description),
    // The order of members must be fixed, because digests are compared.
    flags: sortFlags(challenge.flags).map(({ flag, file, kind, points }) => ({
      ...{ flag, file },
      ...(kind !== undefined && { kind }),
      ...(points !== undefined && { points }),
    })),
    ...container,
    reach: normalizeReach(container.reach),
    secrets: secretNamesOf(challenge),
    ...definitionFields(definition, container.port),
  }
}

/** Older names under which the platform stores some fields, by their present names. */
const rememberedNames: Readonly<Record<string, string>> = { decay: 'difficulty', difficulty: 'level' }

/** Returns the name under which the platform stores the digest of a field. */
export function storedFieldName(field: string): string {
  return rememberedNames[field] ?? field
}
