import { operations } from '@capstan/contract/operations'
import type { TeamInfo } from '@capstan/contract/teams'
import { Crown, Ellipsis, Lock, LogOut, Pencil } from 'lucide-react'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { Avatar } from '../../components/ui/avatar.tsx'
import { AvatarDialog } from '../../components/ui/avatar-dialog.tsx'
import { Badge } from '../../components/ui/badge.tsx'
import { Button, ButtonLink, IconButton } from '../../components/ui/button.tsx'
import { Card } from '../../components/ui/card.tsx'
import { cx } from '../../components/ui/cx.ts'
import { createLazyMenu } from '../../components/ui/lazy-menu.tsx'
import { upload } from '../../lib/http.ts'
import { paths } from '../../lib/paths.ts'
import { refreshCall } from '../../lib/server-state.ts'
import { InvitationSection } from './invitation.tsx'
import { TeamForm } from './lazy-dialogs.ts'
import { isCaptainOfTeam, listMembersCaptainFirst } from './own-teams.ts'
import { PublicPageSwitch, type TeamPages } from './public-page.tsx'
import { ConfirmTeamChangeDialog, type Question } from './questions.tsx'
import styles from './teams.module.css'

const TeamMenu = createLazyMenu(() => import('./team-menus.tsx').then((file) => file.TeamMenu))
const MemberMenu = createLazyMenu(() => import('./team-menus.tsx').then((file) => file.MemberMenu))

type TeamCardProps = Readonly<{
  team: TeamInfo
  userId: string
  /** Visibility of team pages. Undefined while it loads. */
  pages: TeamPages | undefined
  /** Function that is called after the player has left or disbanded the team. */
  onLeft: () => void
}>

/** Team of the player, with all actions that the player may perform. */
export function TeamCard({ team, userId, pages, onLeft }: TeamCardProps) {
  const { t } = useTranslation('teams')
  const [question, setQuestion] = useState<Question>()
  const [open, setOpen] = useState<'edit' | 'avatar'>()
  const captain = isCaptainOfTeam(team, userId)
  const members = listMembersCaptainFirst(team)
  const name = team.name ?? ''
  const close = () => setOpen(undefined)
  const saveAvatar = async (file: File, onProgress: (share: number) => void) => {
    await upload(operations.setTeamAvatar, { params: { id: team.id }, files: [file], onProgress })
    await refreshCall(operations.listOwnTeams)
  }
  return (
    <Card className={cx('stack gap-5', styles.team)} aria-label={name}>
      <header className="row start gap-5">
        {captain ? (
          <button
            type="button"
            className={styles.avatar}
            aria-label={t('avatar.change', { team: name })}
            onClick={() => setOpen('avatar')}
          >
            <Avatar team name={name} src={team.avatar} size={64} />
            <Pencil aria-hidden />
          </button>
        ) : (
          <Avatar team name={name} src={team.avatar} size={64} />
        )}
        <div className="stack gap-1 grow">
          <div className="row gap-2">
            <h2 className="wrap-anywhere">{name}</h2>
            <Badge tone={captain ? 'brand' : 'neutral'}>{t(captain ? 'role.captain' : 'role.member')}</Badge>
            {team.locked && (
              <Badge tone="warn">
                <Lock aria-hidden />
                {t('locked')}
              </Badge>
            )}
          </div>
          <p className={cx('wrap-anywhere', team.bio ? 'muted' : 'faint')}>{team.bio || t('edit.noBio')}</p>
        </div>
        <div className={cx('line', styles.actions)}>
          <ButtonLink to={paths.team.to(team.id)}>{t('publicPage.open')}</ButtonLink>
          {captain ? (
            <>
              <Button onClick={() => setOpen('edit')}>
                <Pencil aria-hidden />
                {t('edit.action')}
              </Button>
              <TeamMenu
                trigger={
                  <IconButton label={t('more', { team: name })}>
                    <Ellipsis />
                  </IconButton>
                }
                onDisband={() => setQuestion({ kind: 'disband' })}
              />
            </>
          ) : (
            <Button onClick={() => setQuestion({ kind: 'leave' })}>
              <LogOut aria-hidden />
              {t('leave.action')}
            </Button>
          )}
        </div>
      </header>
      {team.locked && (
        <p className={cx('line start muted small', styles.lock)}>
          <Lock aria-hidden />
          <span>{t('lockedText')}</span>
        </p>
      )}
      <div className={cx(styles.body, captain && styles.twoColumns)}>
        <section className="stack gap-3">
          <h3 className="size-14">
            {t('members')} <span className="faint number">{members.length}</span>
          </h3>
          <ul className={cx('tiles gap-2', styles.memberList)}>
            {members.map((member) => (
              <li key={member.id} className="line gap-3 frame">
                <Avatar name={member.userName} src={member.avatar} size={36} />
                <div className="grow">
                  <div className="line baseline medium">
                    {pages?.members.includes(member.id) ? (
                      <Link className="truncate" title={member.userName ?? ''} to={paths.player.to(member.id)}>
                        <bdi>{member.userName}</bdi>
                      </Link>
                    ) : (
                      <span className="truncate" title={member.userName ?? ''}>
                        <bdi>{member.userName}</bdi>
                      </span>
                    )}
                    {member.id === userId && <span className="tiny faint">{t('role.you')}</span>}
                  </div>
                  {member.bio && (
                    <p className="small faint truncate" title={member.bio}>
                      <bdi>{member.bio}</bdi>
                    </p>
                  )}
                </div>
                {member.captain && (
                  <span className={cx('inline muted small', styles.crown)}>
                    <Crown aria-hidden />
                    {t('role.captain')}
                  </span>
                )}
                {captain && !member.captain && (
                  <MemberMenu
                    trigger={
                      <IconButton size="small" label={t('moreOf', { name: member.userName ?? '' })}>
                        <Ellipsis />
                      </IconButton>
                    }
                    onTransfer={() => setQuestion({ kind: 'transfer', member })}
                    onKick={() => setQuestion({ kind: 'kick', member })}
                  />
                )}
              </li>
            ))}
          </ul>
          {captain && members.length > 1 && <p className="small faint">{t('captainStays')}</p>}
        </section>
        {captain && <InvitationSection team={team} />}
      </div>
      {captain && pages && <PublicPageSwitch team={team} pages={pages} />}
      {question && (
        <ConfirmTeamChangeDialog team={team} question={question} onLeft={onLeft} onClose={() => setQuestion(undefined)} />
      )}
      <Suspense>{open === 'edit' && <TeamForm team={team} onClose={close} />}</Suspense>
      {open === 'avatar' && <AvatarDialog title={t('avatar.title')} onSave={saveAvatar} onClose={close} />}
    </Card>
  )
}
