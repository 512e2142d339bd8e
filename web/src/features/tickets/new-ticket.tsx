import { Limits } from '@capstan/contract/limits'
import { ownOperations } from '@capstan/contract/operations'
import type { PlayerBoard } from '@capstan/contract/scoreboard'
import { useTranslation } from 'react-i18next'
import { useDraft } from '../../components/editing/use-draft.ts'
import { Button } from '../../components/ui/button.tsx'
import { Card } from '../../components/ui/card.tsx'
import { Field, FieldError } from '../../components/ui/field.tsx'
import { createSubmitHandler, submitOnCtrlEnter, useAction } from '../../components/ui/form.ts'
import { Input, Select, Textarea } from '../../components/ui/input.tsx'
import { ErrorText } from '../../components/ui/states.tsx'
import { call } from '../../lib/http.ts'
import { refreshCall } from '../../lib/server-state.ts'

const aboutGame = 'game'

type NewTicketProps = Readonly<{
  gameId: number
  /** Board of the player. The form offers the challenges of this board. Undefined if the team sees no challenges now. */
  board: PlayerBoard | undefined
  /** Challenge from which the player opened the form. */
  challengeId: number | undefined
  onOpened: (ticketId: string) => void
  onCancel: () => void
}>

/** Form for a new ticket. Typed input survives a reload and a visit to another page. */
export function NewTicketForm({ gameId, board, challengeId, onOpened, onCancel }: NewTicketProps) {
  const { t } = useTranslation(['tickets', 'common'])
  const challenges = Object.values(board?.challenges ?? {}).flat()
  const isKnown = challenges.some(({ id }) => id === challengeId)
  const draft = useDraft(`ticket-${gameId}-${challengeId ?? aboutGame}`, {
    about: isKnown ? String(challengeId) : aboutGame,
    subject: '',
    text: '',
  })
  const { about, subject, text } = draft.value
  const send = useAction(async () => {
    const params = { id: gameId }
    const body = { subject, text, challengeId: about === aboutGame ? null : Number(about) }
    const { id } = await call(ownOperations.openTicket, { params, body })
    await refreshCall(ownOperations.listTeamTickets, { params })
    draft.discard()
    onOpened(id)
  })
  const cancel = () => {
    draft.discard()
    onCancel()
  }
  return (
    <Card title={t('new')}>
      <form className="stack" onSubmit={createSubmitHandler(send.run)}>
        {challenges.length > 0 && (
          <Field label={t('about')}>
            {(control) => (
              <Select
                {...control}
                value={about}
                onValueChange={(chosen) => draft.set({ about: chosen })}
                options={[
                  { value: aboutGame, label: t('aboutGame') },
                  ...challenges.map(({ id, title }) => ({ value: String(id), label: title })),
                ]}
              />
            )}
          </Field>
        )}
        <Field label={t('subject')}>
          {(control) => (
            <Input
              {...control}
              required
              value={subject}
              maxLength={Limits.maxTicketSubjectLength}
              autoComplete="off"
              onChange={(event) => draft.set({ subject: event.target.value })}
            />
          )}
        </Field>
        <Field label={t('text')} hint={t('textHint')}>
          {(control) => (
            <Textarea
              {...control}
              required
              rows={6}
              value={text}
              maxLength={Limits.maxTicketTextLength}
              onKeyDown={submitOnCtrlEnter}
              onChange={(event) => draft.set({ text: event.target.value })}
            />
          )}
        </Field>
        {send.error !== undefined && (
          <FieldError>
            <ErrorText error={send.error} />
          </FieldError>
        )}
        <div className="row gap-2">
          <Button type="submit" variant="primary" busy={send.busy}>
            {t('send')}
          </Button>
          <Button onClick={cancel}>{t('common:action.cancel')}</Button>
        </div>
      </form>
    </Card>
  )
}
