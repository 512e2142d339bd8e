import { normalizeChallengeReach } from '@capstan/challenge-files/challenge/challenge'
import { sortFlags } from '@capstan/challenge-files/challenge/flags'
import { hasSingleContainer } from '@capstan/challenge-files/challenge/write'
import { normalizeContainerDefinition } from '@capstan/challenge-files/format/container'
import type { Challenge } from '@capstan/contract/challenge'
import { defaultContainer, entryContainerOf } from '@capstan/contract/challenge-parts'
import type { ContainerDefinition } from '@capstan/contract/container-definition'
import { ChallengeContainer } from '@capstan/contract/containers'
import { normalizeLineEnds } from './digest.ts'

/** Fields whose values are not printed, because readers of CI logs must not see flags. */
export const secretChallengeFields: ReadonlySet<string> = new Set(['flags', 'template'])

/**
 * Returns each setting of a container as a separate field. The value null means the default. `flagPlaces` describes where the
 * container reads its flag.
 */
function definitionFields(definition: ContainerDefinition, entry: number | null) {
  const plain = normalizeContainerDefinition(definition, entry)
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

function namesOf({ secrets = [] }: ContainerDefinition): string[] {
  return secrets.map(({ name }) => name).sort()
}

/**
 * Returns the name under which a secret variable is stored for a challenge. For additional containers, the name begins with the
 * name of the container.
 */
export function storedNameOfSecret(index: number, container: string, variable: string): string {
  return index === 0 ? variable : `${container}/${variable}`
}

/** Returns the names of the secret variables of all containers. */
export function secretNamesOf({ containers }: Pick<Challenge, 'containers'>): string[] {
  return containers.flatMap(({ name, definition }, index) =>
    namesOf(definition).map((variable) => storedNameOfSecret(index, name, variable)),
  )
}

/** Returns the fields of a container in the order of the contract, because the database does not preserve the order of members. */
function inFixedOrder(container: Partial<ChallengeContainer>): Partial<ChallengeContainer> {
  return Object.fromEntries(
    Object.keys(ChallengeContainer.properties).flatMap((field) => {
      const value = container[field as keyof ChallengeContainer]
      return value === undefined ? [] : [[field, value]]
    }),
  )
}

/** Returns the settings that only containers in a list have, such as networks. Returns null for a single container. */
function networkOf({ containers }: Pick<Challenge, 'containers'>) {
  if (hasSingleContainer(containers)) return null
  return containers.map(({ definition, reach: _, port: __, capture: ___, ...container }, index) => {
    const { name, networks = null, dependsOn = null, receivesFlag = null, ...settings } = container
    const beside = { name, networks, dependsOn, receivesFlag }
    return index === 0
      ? beside
      : { ...beside, ...inFixedOrder(settings), secrets: namesOf(definition), ...definitionFields(definition, null) }
  })
}

/** Returns the challenge fields that the command `plan` compares. */
export function pickFieldsToCompare(challenge: Challenge): Readonly<Record<string, unknown>> {
  const { type: _, containers: __, ...fields } = challenge
  const {
    name: ___,
    networks: ____,
    dependsOn: _____,
    receivesFlag: ______,
    definition,
    ...container
  } = entryContainerOf(challenge)
  return {
    ...fields,
    description: normalizeLineEnds(challenge.description),
    // The order of members must be fixed, because digests are compared.
    flags: sortFlags(challenge.flags).map(({ flag, file, kind, points }) => ({
      ...{ flag, file },
      ...(kind !== undefined && { kind }),
      ...(points !== undefined && { points }),
    })),
    ...container,
    reach: normalizeChallengeReach(container.reach),
    secrets: namesOf(definition),
    containers: networkOf(challenge),
    ...definitionFields(definition, container.port),
  }
}

/** Map from the current name of a field to the earlier name under which the platform stores it. */
const rememberedNames: Readonly<Record<string, string>> = { decay: 'difficulty', difficulty: 'level' }

/** Returns the name under which the platform stores the digest of a field. */
export function storedFieldName(field: string): string {
  return rememberedNames[field] ?? field
}
