// Calls with which admins configure identity providers.
import { randomUUID } from 'node:crypto'
import { Limits } from '@capstan/contract/limits'
import { Problem } from '@capstan/contract/problems'
import { requiresSecondFactor } from '@capstan/contract/roles'
import type { SignInOptions, SignInPolicy, SignInProvider, SignInProviderWrite, SignInSettings } from '@capstan/contract/sign-in'
import { signedOutPath } from '@capstan/contract/sign-in-paths'
import type { Executor } from '@capstan/db/client'
import { cryptoRandom } from '../../rules/signing/random.ts'
import { sealText } from '../../rules/signing/secret-box.ts'
import type { SessionUser } from '../../server/sessions/session-user.ts'
import { readSignInPolicy, writeSignInPolicy } from '../../server/settings/service.ts'
import { areMailedLinksEnabled } from '../accounts/service.ts'
import { lacksSecondFactor } from '../second-factor/service.ts'
import { type ProviderClient, sealContextOfClientSecret } from './provider-client.ts'
import { createSignInRepository, type ProviderRow } from './repository.ts'
import { callbackUrlOfProvider, type SignInServiceDeps } from './service.ts'

type SettingsDeps = Pick<SignInServiceDeps, 'config' | 'db'>
type SessionDeps = SettingsDeps & Pick<SignInServiceDeps, 'sessions'>

function present({ config }: Pick<SettingsDeps, 'config'>, row: ProviderRow, users: number): SignInProvider {
  const { id, key, kind, name, issuer, clientId, clientSecret, scope, claims, isEnabled, endsSession, teamsEachTime } = row
  const origin = config.publicOrigin
  return {
    id,
    key,
    kind,
    name,
    issuer,
    clientId,
    scope,
    claims: { team: '', division: '', ...claims },
    isEnabled,
    endsSession,
    teamsEachTime,
    users,
    hasSecret: clientSecret !== null,
    isSecretConfigured: config.signInSecrets.has(key),
    callbackUrl: origin === undefined ? null : callbackUrlOfProvider(origin, key),
    logoutUrl: origin === undefined ? null : new URL(signedOutPath, origin).href,
  }
}

/** Checks the issuer of a provider. Discovery needs an address without query and fragment. @throws Problem `request.invalid` */
function checkIssuer({ kind, issuer }: SignInProviderWrite): string {
  if (kind !== 'OpenId') return ''
  const address = URL.parse(issuer)
  const isHttp = address?.protocol === 'https:' || address?.protocol === 'http:'
  if (!address || !isHttp || address.username || address.password || address.search || address.hash)
    throw new Problem('request.invalid', { detail: '/issuer' })
  return issuer
}

function columnsOf({ config }: SettingsDeps, id: string, write: SignInProviderWrite) {
  const { key, kind, name, clientId, scope, claims, isEnabled, endsSession, teamsEachTime, clientSecret } = write
  const secret =
    clientSecret === null || clientSecret === ''
      ? clientSecret
      : sealText(Buffer.from(clientSecret), sealContextOfClientSecret(id), config.secretKey, cryptoRandom)
  return {
    key,
    kind,
    name: name.trim(),
    issuer: checkIssuer(write),
    clientId: clientId.trim(),
    scope: scope.trim(),
    claims,
    isEnabled,
    endsSession: kind === 'OpenId' && endsSession,
    teamsEachTime,
    ...(secret !== null && { clientSecret: secret === '' ? null : secret }),
  }
}

/** Returns the login methods that the login page offers. */
export async function readSignInOptions(deps: SignInServiceDeps): Promise<SignInOptions> {
  const [rows, { passwords }, recovery] = await Promise.all([
    createSignInRepository(deps.db).list(),
    readSignInPolicy(deps),
    areMailedLinksEnabled(deps),
  ])
  const usable = deps.config.publicOrigin === undefined ? [] : rows.filter(({ isEnabled }) => isEnabled)
  return { passwords, recovery, providers: usable.map(({ key, kind, name }) => ({ key, kind, name })) }
}

export async function readSignInSettings(deps: SettingsDeps): Promise<SignInSettings> {
  const repository = createSignInRepository(deps.db)
  const [rows, users, policy] = await Promise.all([repository.list(), repository.countUsers(), readSignInPolicy(deps)])
  return {
    origin: deps.config.publicOrigin ?? null,
    ...policy,
    providers: rows.map((row) => present(deps, row, users.get(row.id) ?? 0)),
  }
}

/** Refuses a change that would leave users without any method to log in. @throws Problem `sign-in.no-provider` */
async function refuseNoMethod(
  { config }: SettingsDeps,
  transaction: Executor,
  rows: readonly ProviderRow[],
  passwords?: boolean,
): Promise<void> {
  const hasProvider = config.publicOrigin !== undefined && rows.some(({ isEnabled }) => isEnabled)
  // Read with the connection of the transaction. All other connections may be in use by calls that wait for the lock of this
  // transaction, so waiting for another connection could cause a deadlock.
  if (!hasProvider && !(passwords ?? (await readSignInPolicy({ db: transaction })).passwords))
    throw new Problem('sign-in.no-provider')
}

/**
 * Changes the rules for logins. An admin who requires a second factor must already have one, because the new rule applies to this
 * admin, too.
 * @throws Problem `sign-in.no-provider`, `second-factor.own-first`
 */
export async function setSignInPolicy(deps: SettingsDeps, adminId: string, policy: SignInPolicy): Promise<void> {
  if (requiresSecondFactor(policy.secondFactor ?? 'Optional', 'Admin') && (await lacksSecondFactor(deps, adminId)))
    throw new Problem('second-factor.own-first')
  await deps.db.transaction(async (transaction) => {
    await refuseNoMethod(deps, transaction, await createSignInRepository(transaction).lockAll(), policy.passwords)
    await writeSignInPolicy({ db: transaction }, policy)
  })
}

/** @throws Problem `sign-in.too-many`, `sign-in.key-taken`, `request.invalid` */
export async function createProvider(deps: SettingsDeps, write: SignInProviderWrite): Promise<SignInProvider> {
  const id = randomUUID()
  const columns = columnsOf(deps, id, write)
  return deps.db.transaction(async (transaction) => {
    const repository = createSignInRepository(transaction)
    if ((await repository.lockAll()).length >= Limits.maxSignInProviders) throw new Problem('sign-in.too-many')
    if (!(await repository.insert({ id, ...columns }))) throw new Problem('sign-in.key-taken', { detail: '/key' })
    const row = await repository.find(id)
    if (!row) throw new Problem('sign-in.unknown')
    return present(deps, row, 0)
  })
}

/**
 * Changes a provider. If the provider is disabled, the sessions that began with it end, except the session of the call. A
 * provider with links retains its issuer, because the same subject is another user at another issuer.
 * @throws Problem `sign-in.unknown`, `sign-in.key-taken`, `sign-in.no-provider`, `sign-in.issuer-fixed`, `request.invalid`
 */
export async function updateProvider(
  deps: SessionDeps,
  actor: SessionUser,
  id: string,
  write: SignInProviderWrite,
): Promise<SignInProvider> {
  const columns = columnsOf(deps, id, write)
  const { provider, ended } = await deps.db.transaction(async (transaction) => {
    const repository = createSignInRepository(transaction)
    const before = (await repository.lockAll()).find((row) => row.id === id)
    if (!before) throw new Problem('sign-in.unknown')
    const isOtherIssuer = columns.kind !== before.kind || columns.issuer !== before.issuer
    if (isOtherIssuer && (await repository.hasLinks(id))) throw new Problem('sign-in.issuer-fixed')
    if (await repository.isKeyTaken(columns.key, id)) throw new Problem('sign-in.key-taken', { detail: '/key' })
    // Delete the client secret if the issuer changes, because the secret belongs to the old issuer.
    await repository.update(id, { ...(isOtherIssuer && { clientSecret: null }), ...columns })
    const rows = await repository.list()
    await refuseNoMethod(deps, transaction, rows)
    const row = rows.find((other) => other.id === id)
    if (!row) throw new Problem('sign-in.unknown')
    return {
      provider: present(deps, row, (await repository.countUsers()).get(id) ?? 0),
      ended: row.isEnabled ? [] : await deps.sessions.endAllOfProvider(transaction, id, { except: actor }),
    }
  })
  for (const userId of ended) deps.sessions.announceEnd(userId)
  return provider
}

/**
 * Deletes a provider, and ends the sessions that began with this provider, except the session of the call.
 * @returns the provider's name
 * @throws Problem `sign-in.unknown`, `sign-in.no-provider`
 */
export async function deleteProvider(deps: SessionDeps, actor: SessionUser, id: string): Promise<string> {
  const { name, ended } = await deps.db.transaction(async (transaction) => {
    const repository = createSignInRepository(transaction)
    const rows = await repository.lockAll()
    const others = rows.filter((row) => row.id !== id)
    await refuseNoMethod(deps, transaction, others)
    const row = await repository.delete(id)
    if (!row) throw new Problem('sign-in.unknown')
    return { name: row.name, ended: await deps.sessions.endAllOfProvider(transaction, id, { except: actor }) }
  })
  for (const userId of ended) deps.sessions.announceEnd(userId)
  return name
}

/**
 * Reads the published configuration of a provider, as a test of its settings.
 * @returns the provider's name
 * @throws Problem `sign-in.unknown`, `sign-in.unreachable`
 */
export async function testProviderSettings(deps: SettingsDeps & { providers: ProviderClient }, id: string): Promise<string> {
  const row = await createSignInRepository(deps.db).find(id)
  if (!row) throw new Problem('sign-in.unknown')
  await deps.providers.check(row)
  return row.name
}
