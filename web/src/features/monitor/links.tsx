import { hasRole } from '@capstan/contract/roles'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { paths } from '../../lib/paths.ts'
import { useSession } from '../../lib/session.ts'

/** Returns functions that create link targets for names: organizer pages for admins, and filtered lists for monitors. */
export function useMonitorLinks(gameId: number) {
  const { role } = useSession()
  const isAdmin = hasRole(role, 'Admin')
  const challenge = (id: number) => (isAdmin ? paths.adminGameChallenge.to(gameId, id) : paths.challenges.to(gameId, id))
  return {
    isAdmin,
    challenge,
    /** Returns the address of a challenge from its title. */
    challengeTitled: (title: string, known: readonly Readonly<{ id: number; title: string }>[]) => {
      const found = known.find((each) => each.title === title)
      return found && challenge(found.id)
    },
    team: (id: number) => (isAdmin ? paths.adminGameReview.to(gameId, id) : paths.monitorSubmissions.to(gameId, { team: id })),
    user: (name: string) => (isAdmin ? paths.adminUsers.to({ q: name }) : paths.monitorSubmissions.to(gameId, { q: name })),
    instances: ({ id, title }: Readonly<{ id: number; title: string }>) =>
      isAdmin ? paths.adminInstances.to({ q: title }) : paths.monitorTraffic.to(gameId, { challenge: id, view: 'connections' }),
  }
}

type NameProps = Readonly<{
  to: string | undefined
  children: ReactNode
}>

/** Name with isolated text direction. It is a link if it has an address. */
export function LinkedName({ to, children }: NameProps) {
  return to === undefined ? (
    <bdi>{children}</bdi>
  ) : (
    <Link to={to} className="touchTarget">
      <bdi>{children}</bdi>
    </Link>
  )
}
