import { operations } from '@capstan/contract/operations'
import type { TeamInfo, TeamMember } from '@capstan/contract/teams'
import { useTranslation } from 'react-i18next'
import { Alert } from '../../components/ui/badge.tsx'
import { ConfirmationDialog } from '../../components/ui/dialog.tsx'
import { useAction } from '../../components/ui/form.ts'
import { ErrorText } from '../../components/ui/states.tsx'
import { showToast } from '../../components/ui/toast.ts'
import { call } from '../../lib/http.ts'
import { removeTeamFromList, updateTeamInList } from './own-teams.ts'

/** Action on a team or a member that the user must confirm. */
export type Question =
  | Readonly<{ kind: 'transfer'; member: TeamMember }>
  | Readonly<{ kind: 'kick'; member: TeamMember }>
  | { readonly kind: 'leave' }
  | { readonly kind: 'disband' }

type QuestionDialogProps = Readonly<{
  team: TeamInfo
  question: Question
  /** Function that is called after the player has left or disbanded the team. */
  onLeft: () => void
  onClose: () => void
}>

export function ConfirmTeamChangeDialog({ team, question, onLeft, onClose }: QuestionDialogProps) {
  const { t } = useTranslation('teams')
  const params = { id: team.id }
  const names = {
    team: team.name ?? '',
    name: 'member' in question ? (question.member.userName ?? '') : '',
  }
  const { kind } = question
  const isDecided = team.ofProvider && (kind === 'kick' || kind === 'leave')
  const text = isDecided ? t(`${kind}.textOfProvider`, names) : t(`${kind}.text`, names)
  const action = useAction(async () => {
    switch (question.kind) {
      case 'transfer':
        await updateTeamInList(await call(operations.transferTeam, { params, body: { newCaptainId: question.member.id } }))
        break
      case 'kick':
        await updateTeamInList(await call(operations.kickMember, { params: { ...params, userId: question.member.id } }))
        break
      case 'leave':
        await call(operations.leaveTeam, { params })
        onLeft()
        await removeTeamFromList(team.id)
        break
      case 'disband':
        await call(operations.deleteTeam, { params })
        onLeft()
        await removeTeamFromList(team.id)
        break
    }
    showToast({ tone: 'ok', title: t(`${question.kind}.done`, names) })
    onClose()
  })
  return (
    <ConfirmationDialog
      open
      onOpenChange={onClose}
      danger={question.kind !== 'transfer'}
      title={t(`${question.kind}.title`, names)}
      description={
        <div className="stack">
          <p>{text}</p>
          {team.locked && action.error === undefined && <Alert tone="warn">{t('lockedWarning')}</Alert>}
          {action.error !== undefined && question.kind !== 'disband' && (
            <Alert tone="bad">
              <ErrorText error={action.error} />
            </Alert>
          )}
        </div>
      }
      confirm={t(`${question.kind}.confirm`, names)}
      busy={action.busy}
      {...(question.kind === 'disband' && {
        typeToConfirm: team.name ?? '',
        error: action.error === undefined ? undefined : <ErrorText error={action.error} />,
      })}
      onConfirm={() => void action.run()}
    />
  )
}
