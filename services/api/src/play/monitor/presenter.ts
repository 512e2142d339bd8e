import { pathOfPicture } from '@capstan/contract/asset-address'
import type { ProxiedConnection } from '@capstan/contract/captures'
import type { GameEvent, ParticipationRef } from '@capstan/contract/games'
import { hintEvent } from '@capstan/contract/hints'
import type { CheatPair, MonitoredEvent, MonitoredSubmission } from '@capstan/contract/monitor'
import type { CheatRecord, Submission } from '@capstan/contract/submissions'
import type { ConnectionRow } from './connection-repository.ts'
import type { CheatPairRow } from './feed-repository.ts'
import type { CheatRow, EventRow, SubmissionRow } from './shown-repository.ts'

/**
 * Returns the values of an event, with the current names instead of the names at the time of the event. For a deleted challenge,
 * returns the name in the stored event.
 */
function valuesOf({ type, values, challengeTitle, teamName, ownerName }: EventRow): string[] {
  const [first = '', second = '', third = ''] = values
  switch (type) {
    case 'FlagSubmit':
      return [first, second, challengeTitle ?? third, ...values.slice(3)]
    case 'CheatDetected':
      return [challengeTitle ?? first, teamName ?? second, ownerName ?? third]
    case 'ContainerStart':
    case 'ContainerDestroy':
      return [first, challengeTitle ?? second]
    default:
      return first === hintEvent ? [first, second, challengeTitle ?? third, ...values.slice(3)] : values
  }
}

export function presentEvent(event: EventRow): GameEvent {
  return {
    time: event.occurredAt.toISOString(),
    user: event.userName ?? '',
    team: event.teamName ?? '',
    type: event.type,
    values: valuesOf(event),
  }
}

export function presentSubmission(submission: SubmissionRow): Submission {
  return {
    answer: submission.answer,
    status: submission.status,
    time: submission.submittedAt.toISOString(),
    user: submission.userName ?? '',
    team: submission.teamName,
    challenge: submission.challengeTitle,
  }
}

function presentRef(participation: CheatRow['owner'], team: CheatRow['ownerTeam'], divisionId: number | null): ParticipationRef {
  return {
    id: participation.id,
    team: { id: team.id, name: team.name, avatar: pathOfPicture(team.avatarHash, 'avatar') },
    status: participation.status,
    organization: participation.division,
    division: participation.division,
    divisionId,
  }
}

export function presentCheat(cheat: CheatRow): CheatRecord {
  return {
    ownedTeam: presentRef(cheat.owner, cheat.ownerTeam, cheat.ownerDivisionId),
    submitTeam: presentRef(cheat.submitter, cheat.submitterTeam, cheat.submitterDivisionId),
    submission: presentSubmission(cheat.submission),
  }
}

export function presentMonitoredSubmission(row: SubmissionRow): MonitoredSubmission {
  return {
    id: row.id,
    answer: row.answer,
    status: row.status,
    time: row.submittedAt.toISOString(),
    user: row.userName ?? '',
    userId: row.userId,
    team: row.teamName,
    teamId: row.teamId,
    challenge: row.challengeTitle,
    challengeId: row.challengeId,
  }
}

export function presentMonitoredEvent(row: EventRow): MonitoredEvent {
  return {
    id: row.id,
    time: row.occurredAt.toISOString(),
    type: row.type,
    values: valuesOf(row),
    user: row.userName ?? '',
    userId: row.userId,
    team: row.teamName ?? '',
    teamId: row.teamId,
    challengeId: row.challengeId,
  }
}

/** @returns undefined if the pair of teams has no cheat records */
export function presentCheatPair({ records, isMutual, count }: CheatPairRow): CheatPair | undefined {
  const [newest] = records
  return (
    newest && {
      owner: presentRef(newest.owner, newest.ownerTeam, newest.ownerDivisionId),
      submitter: presentRef(newest.submitter, newest.submitterTeam, newest.submitterDivisionId),
      isMutual,
      count,
      records: records.map(({ submission, owner }) => ({
        ownerTeamId: owner.teamId,
        submission: presentMonitoredSubmission(submission),
      })),
    }
  )
}

export function presentConnection({ way, port, ...row }: ConnectionRow): ProxiedConnection {
  return {
    ...row,
    ...(way !== null && { way }),
    ...(port !== null && { port }),
    openedAt: row.openedAt.toISOString(),
    closedAt: row.closedAt?.toISOString() ?? null,
  }
}
