import type { InstanceDeps } from '../../instances/deps.ts'
import { createTicketRepository } from './repository.ts'

/**
 * Notifies the members of a team and the organizers that a ticket of the team has changed. The message contains no text. A lost
 * message only delays the update of a client.
 */
export async function announceTicketChange(
  { db, bus }: Pick<InstanceDeps, 'db' | 'bus'>,
  gameId: number,
  participationId: number,
): Promise<void> {
  const userIds = await createTicketRepository(db)
    .listMembers(participationId)
    .catch(() => [])
  bus.publish({ kind: 'ticket', gameId, userIds })
}
