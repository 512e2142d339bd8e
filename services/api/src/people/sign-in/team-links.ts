// Links between local teams and teams of identity providers, as admins manage them (ADR 74).
import { Problem } from '@capstan/contract/problems'
import type { TeamProvider, TeamProviderWrite } from '@capstan/contract/sign-in'
import { refuseInvalidName } from '../names/policy.ts'
import { getTeam, lockTeam } from '../teams/service.ts'
import { createSignInRepository } from './repository.ts'
import type { SignInServiceDeps } from './service.ts'

type LinkDeps = Pick<SignInServiceDeps, 'db'>

type TeamLinkNames = Readonly<{ team: string; provider: string; key: string }>

/** @throws Problem `team.unknown` */
export async function readTeamProvider({ db }: LinkDeps, teamId: number): Promise<TeamProvider> {
  await getTeam({ db }, teamId)
  return { link: (await createSignInRepository(db).findLink(teamId)) ?? null }
}

/**
 * Links a local team to the team with this key at a provider. After that, a sign-in with this key adds the user to the local
 * team.
 * @throws Problem `sign-in.unknown`, `team.unknown`, `team.of-provider`, `sign-in.team-taken`, `name.unreadable`
 */
export function linkTeam({ db }: LinkDeps, teamId: number, write: TeamProviderWrite): Promise<TeamLinkNames> {
  const key = write.key.trim()
  return db.transaction(async (transaction) => {
    const repository = createSignInRepository(transaction)
    // Lock the provider before the team. A different order could cause a deadlock with a sign-in.
    await repository.lockProvider(write.providerId)
    const provider = await repository.find(write.providerId)
    if (!provider) throw new Problem('sign-in.unknown')
    const team = await lockTeam(transaction, teamId)
    // Refuse unreadable characters, because a sign-in never finds a team whose key contains them.
    const unreadable = refuseInvalidName(key)
    if (unreadable) throw new Problem(unreadable, { detail: '/key' })
    if (await repository.findLink(teamId)) throw new Problem('team.of-provider')
    if ((await repository.findTeam(provider.id, key)) !== undefined) throw new Problem('sign-in.team-taken', { detail: '/key' })
    await repository.insertTeam({ providerId: provider.id, key, teamId })
    return { team: team.name, provider: provider.name, key }
  })
}

/** Unlinks a team. Its members remain in the team. @throws Problem `team.unknown`, `team.not-of-provider` */
export function unlinkTeam({ db }: LinkDeps, teamId: number): Promise<TeamLinkNames> {
  return db.transaction(async (transaction) => {
    const repository = createSignInRepository(transaction)
    const team = await lockTeam(transaction, teamId)
    const link = await repository.findLink(teamId)
    if (!link) throw new Problem('team.not-of-provider')
    await repository.deleteLink(teamId)
    return { team: team.name, provider: link.name, key: link.key }
  })
}
