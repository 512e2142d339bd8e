import { operations } from '@capstan/contract/operations'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Avatar } from '../../components/ui/avatar.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { Field } from '../../components/ui/field.tsx'
import { useAction, useLongForm } from '../../components/ui/form.ts'
import { Input } from '../../components/ui/input.tsx'
import { ErrorText } from '../../components/ui/states.tsx'
import { showToast } from '../../components/ui/toast.ts'
import { call } from '../../lib/http.ts'
import { refreshCall, useCall } from '../../lib/server-state.ts'
import { parseInvitationCode } from './invite-code.ts'

export type JoinDialogProps = Readonly<{
  code: string
  onJoined?: (name: string) => void
  onClose: () => void
}>

/** Dialog in which a player joins a team by its invitation code. It shows the name of the team before the player joins. */
export function JoinTeamDialog({ code, onJoined, onClose }: JoinDialogProps) {
  const { t } = useTranslation(['teams', 'common'])
  const form = useId()
  const [text, setText] = useState(code)
  const [sent, setSent] = useState(false)
  const invitation = parseInvitationCode(text)
  const { data: team } = useCall(operations.getTeam, invitation ? { params: { id: invitation.teamId } } : null, {
    refreshInterval: 0,
  })
  const name = team?.name ?? invitation?.teamName
  const join = useAction(async () => {
    if (!invitation) return
    await call(operations.acceptInvite, { body: invitation.code })
    await refreshCall(operations.listOwnTeams)
    onJoined?.(name ?? '')
    showToast({ tone: 'ok', title: t('teams:joinForm.joined', { team: name ?? '' }) })
    onClose()
  })
  const submit = () => {
    setSent(true)
    return invitation ? join.run() : undefined
  }
  const problem = !text.trim() ? t('teams:joinForm.empty') : invitation ? undefined : t('teams:joinForm.wrong')
  const longForm = useLongForm(submit)
  return (
    <Dialog
      open
      keepOpenOutside
      onOpenChange={onClose}
      title={t('teams:joinForm.title')}
      description={t('teams:joinForm.text')}
      footer={
        <>
          <Button onClick={onClose}>{t('common:action.cancel')}</Button>
          <Button type="submit" form={form} variant="primary" busy={join.busy} className="truncate">
            <span className="truncate">
              {invitation ? t('teams:joinForm.submitNamed', { team: name ?? '' }) : t('teams:joinForm.submit')}
            </span>
          </Button>
        </>
      }
    >
      <form {...longForm} id={form} className="stack" noValidate>
        <Field
          label={t('teams:joinForm.code')}
          hint={t('teams:joinForm.codeHint')}
          error={sent && problem ? problem : join.error !== undefined ? <ErrorText error={join.error} /> : undefined}
        >
          {(control) => (
            <Input
              {...control}
              className="mono"
              value={text}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              onChange={(event) => {
                join.reset()
                setText(event.target.value)
              }}
            />
          )}
        </Field>
        <div className="line gap-3" role="status">
          {invitation && team && (
            <>
              <Avatar team name={team.name} src={team.avatar} size={40} />
              <div className="grow">
                <strong className="wrap-anywhere">
                  <bdi>{team.name}</bdi>
                </strong>
                <p className="small muted">
                  {t('teams:memberCount', { count: team.members?.length ?? 0 })}
                  {team.bio && (
                    <>
                      {' · '}
                      <bdi>{team.bio}</bdi>
                    </>
                  )}
                </p>
              </div>
            </>
          )}
        </div>
      </form>
    </Dialog>
  )
}
