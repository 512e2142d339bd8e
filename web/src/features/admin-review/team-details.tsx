import type { UserProfile } from '@capstan/contract/accounts'
import type { ParticipationRecord } from '@capstan/contract/games'
import { operations, ownOperations } from '@capstan/contract/operations'
import type { Verdict } from '@capstan/contract/vocabulary'
import { Award, Crown, Lock } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Avatar } from '../../components/ui/avatar.tsx'
import { Badge } from '../../components/ui/badge.tsx'
import { Button } from '../../components/ui/button.tsx'
import { CopyButton } from '../../components/ui/copy-button.tsx'
import { DownloadButton } from '../../components/ui/download-link.tsx'
import { NamedValue, NamedValueList } from '../../components/ui/facts.tsx'
import { Field } from '../../components/ui/field.tsx'
import { useAction } from '../../components/ui/form.ts'
import { Select } from '../../components/ui/input.tsx'
import { ErrorText } from '../../components/ui/states.tsx'
import { useNow } from '../../components/ui/time.tsx'
import { showErrorToast, showToast } from '../../components/ui/toast.ts'
import { addressOfCall, call } from '../../lib/http.ts'
import { refreshCall, useCall } from '../../lib/server-state.ts'
import styles from './review.module.css'
import { isVerdictOffered } from './review.ts'
import { StatusBadge } from './status-badge.tsx'
import { TeamAnswers } from './team-answers.tsx'
import { TeamCorrections } from './team-corrections.tsx'

const keys = { Accepted: 'a', Rejected: 'r', Suspended: 's' } as const

type TeamDetailsProps = Readonly<{
  gameId: number
  record: ParticipationRecord
  divisions: readonly string[]
  isBusy: boolean
  onVerdict: (to: Verdict) => void
  /** True if a title above already names the team. */
  hasTitle?: boolean
}>

export function TeamDetails({ gameId, record, divisions, isBusy, onVerdict, hasTitle }: TeamDetailsProps) {
  const { t } = useTranslation('admin-review')
  const { team, status, registeredMembers, waitingPlace } = record
  const verbOf = (to: keyof typeof keys) => {
    if (to !== 'Accepted') return to
    if (status === 'Suspended') return 'readmit'
    return waitingPlace == null ? to : 'beyond'
  }
  const joined = new Set(registeredMembers)
  const members = team.members.toSorted((one, other) => Number(joined.has(other.userId)) - Number(joined.has(one.userId)))
  return (
    <div className="stack">
      <div className="row">
        <Avatar team name={team.name} src={team.avatar} size={44} />
        <div className="grow">
          {!hasTitle && <h2 className="size-16 wrap-anywhere">{team.name}</h2>}
          <div className="row gap-2">
            <StatusBadge status={status} place={waitingPlace} />
            {team.locked && (
              <Badge>
                <Lock aria-hidden />
                {t('locked')}
              </Badge>
            )}
            <span className="tiny faint number">{t('ids', { team: team.id, participation: record.id })}</span>
          </div>
        </div>
      </div>
      {team.bio && (
        <p className="small muted wrap-anywhere">
          <bdi>{team.bio}</bdi>
        </p>
      )}
      <div className="row gap-2">
        {(['Accepted', 'Rejected', 'Suspended'] as const)
          .filter((to) => isVerdictOffered(status, to))
          .map((to) => (
            <Button
              key={to}
              size="small"
              variant={to === 'Accepted' ? 'primary' : 'secondary'}
              busy={isBusy}
              aria-keyshortcuts={keys[to]}
              onClick={() => onVerdict(to)}
            >
              {t(`verb.${verbOf(to)}`)} <kbd>{keys[to]}</kbd>
            </Button>
          ))}
        {status === 'Accepted' && <CertificateButton gameId={gameId} teamId={team.id} />}
        {status === 'Pending' && waitingPlace != null && <p className="small muted">{t('waitingHint')}</p>}
        {status === 'Rejected' && <p className="small muted">{t('rejectedHint')}</p>}
      </div>
      {divisions.length > 0 && <DivisionField key={record.id} gameId={gameId} record={record} divisions={divisions} />}
      <TeamCorrections key={team.id} gameId={gameId} team={{ id: team.id, name: team.name ?? '' }} />
      <TeamAnswers key={record.id} gameId={gameId} participationId={record.id} />
      <section className="stack gap-2" aria-label={t('members')}>
        <h3 className="muted small medium">
          {t('joinedOf', { count: members.length, joined: members.filter(({ userId }) => joined.has(userId)).length })}
        </h3>
        <ul className={styles.members}>
          {members.map((member) => (
            <Member
              key={member.userId}
              member={member}
              isCaptain={member.userId === team.captainId}
              hasJoined={joined.has(member.userId)}
            />
          ))}
        </ul>
      </section>
    </div>
  )
}

/** Button that downloads the certificate of a team, after the end of a game with certificates. */
function CertificateButton({ gameId, teamId }: Readonly<{ gameId: number; teamId: number }>) {
  const { t } = useTranslation('admin-review')
  const now = useNow()
  const params = { id: gameId }
  const { data: game } = useCall(operations.adminGetGame, { params })
  const isOver = game !== undefined && Date.parse(game.end) < now
  const { data: template } = useCall(ownOperations.getCertificate, isOver ? { params } : null)
  if (!template?.title) return null
  return (
    <DownloadButton size="small" href={addressOfCall(ownOperations.downloadTeamCertificate, { params: { id: gameId, teamId } })}>
      <Award aria-hidden />
      {t('certificate')}
    </DownloadButton>
  )
}

type MemberProps = Readonly<{
  member: UserProfile
  isCaptain: boolean
  hasJoined: boolean
}>

function Member({ member, isCaptain, hasJoined }: MemberProps) {
  const { t } = useTranslation('admin-review')
  const facts = [
    ['realName', member.realName],
    ['stdNumber', member.stdNumber],
    ['phone', member.phone],
    ['email', member.email],
  ] as const
  return (
    <li className="stack gap-1">
      <div className="row gap-2">
        <Avatar name={member.userName} src={member.avatar} size={26} />
        <strong className={hasJoined ? 'truncate' : 'truncate muted'}>
          <bdi>{member.userName}</bdi>
        </strong>
        {isCaptain && (
          <Badge>
            <Crown aria-hidden />
            {t('captain')}
          </Badge>
        )}
        {!hasJoined && <Badge>{t('notJoined')}</Badge>}
      </div>
      <NamedValueList kind="details">
        {facts.map(([name, value]) => (
          <NamedValue key={name} name={t(`fact.${name}`)} className={value ? undefined : 'faint'}>
            <bdi className="wrap-anywhere">{value || t('unknown')}</bdi>
            {value && <CopyButton text={value} />}
          </NamedValue>
        ))}
      </NamedValueList>
    </li>
  )
}

type DivisionFieldProps = Readonly<{
  gameId: number
  record: ParticipationRecord
  divisions: readonly string[]
}>

/** Dropdown list of the divisions. Choosing a division moves the team immediately. */
function DivisionField({ gameId, record, divisions }: DivisionFieldProps) {
  const { t } = useTranslation(['admin-review', 'common'])
  const { organization } = record
  const put = async (division: string) => {
    await call(operations.setParticipationDivision, { params: { a: record.id, b: division } })
    await refreshCall(operations.listParticipations, { params: { id: gameId } })
  }
  const move = useAction(async (division: string) => {
    await put(division)
    showToast({
      tone: 'ok',
      title: t('admin-review:moved', { team: record.team.name ?? '', division }),
      // Offer no undo if the previous division was deleted, because a team cannot return to it.
      ...(organization !== null &&
        divisions.includes(organization) &&
        organization !== division && {
          action: {
            label: t('common:action.undo'),
            // The page may show another team when the undo runs, so its errors go to a toast.
            run: () => void put(organization).catch(showErrorToast),
          },
        }),
    })
  })
  // A team stays in a deleted division until an organizer moves the team. In this case offer the deleted division too.
  const names = organization && !divisions.includes(organization) ? [organization, ...divisions] : divisions
  return (
    <Field label={t('admin-review:division')} error={move.error !== undefined && <ErrorText error={move.error} />}>
      {(control) => (
        <Select
          {...control}
          value={organization ?? ''}
          placeholder={t('admin-review:noDivision')}
          disabled={move.busy}
          onValueChange={(division) => void move.run(division)}
          options={names.map((value) => ({ value, label: value, disabled: !divisions.includes(value) }))}
        />
      )}
    </Field>
  )
}
