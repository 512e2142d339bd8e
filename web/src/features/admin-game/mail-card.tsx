import type { GameMailAudience } from '@capstan/contract/game-mail'
import { Limits } from '@capstan/contract/limits'
import { ownOperations } from '@capstan/contract/operations'
import { Mail } from 'lucide-react'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useDraft } from '../../components/editing/use-draft.ts'
import { Button } from '../../components/ui/button.tsx'
import { Card } from '../../components/ui/card.tsx'
import { ConfirmationDialog, Dialog } from '../../components/ui/dialog.tsx'
import { Field } from '../../components/ui/field.tsx'
import { useAction, useLongForm } from '../../components/ui/form.ts'
import { Input, Select, Textarea } from '../../components/ui/input.tsx'
import { useLengthFault } from '../../components/ui/refusal.tsx'
import { ErrorState, ErrorText } from '../../components/ui/states.tsx'
import { showToast } from '../../components/ui/toast.ts'
import { formatNumber } from '../../lib/format.ts'
import { call } from '../../lib/http.ts'
import { useCall } from '../../lib/server-state.ts'

/** Card with a button that opens the dialog for a mail to the participants of a game. */
export function MailCard({ gameId }: { readonly gameId: number }) {
  const { t } = useTranslation('admin-game')
  const [isOpen, setOpen] = useState(false)
  return (
    <Card title={t('mail.title')}>
      <div className="stack gap-3">
        <p className="small muted">{t('mail.hint')}</p>
        <div className="row">
          <Button onClick={() => setOpen(true)}>
            <Mail aria-hidden />
            {t('mail.open')}
          </Button>
        </div>
      </div>
      {isOpen && <MailDialog gameId={gameId} onClose={() => setOpen(false)} />}
    </Card>
  )
}

/** Converts a choice to the audience of the mail: `all`, `accepted`, or the id of a division. */
function audienceOf(choice: string): GameMailAudience {
  if (choice === 'all') return {}
  return choice === 'accepted' ? { onlyAccepted: true } : { divisionId: Number(choice) }
}

type MailDialogProps = Readonly<{
  gameId: number
  onClose: () => void
}>

/** Dialog for a mail to the participants. Typed text survives a reload and the closing of the dialog. */
function MailDialog({ gameId, onClose }: MailDialogProps) {
  const { t } = useTranslation(['admin-game', 'common'])
  const formId = useId()
  const lengthFault = useLengthFault()
  const params = { id: gameId }
  const [choice, setChoice] = useState('accepted')
  const draft = useDraft(`mail-${gameId}`, { subject: '', text: '' })
  const { subject, text } = draft.value
  const [isSent, setSent] = useState(false)
  const [isConfirming, setConfirming] = useState(false)
  const audience = audienceOf(choice)
  const { data: divisions } = useCall(ownOperations.listDivisions, { params })
  const { data: reach, error, mutate } = useCall(ownOperations.countGameMailRecipients, { params, query: audience })
  const send = useAction(async () => {
    await call(ownOperations.sendGameMail, { params, body: { ...audience, subject: subject.trim(), text } })
    showToast({ tone: 'ok', title: t('admin-game:mail.sent') })
    draft.discard()
    onClose()
  })
  const subjectFault = lengthFault(subject.trim(), 1, Limits.maxGameMailSubjectLength)
  const textFault = lengthFault(text.trim() && text, 1, Limits.maxGameMailTextLength)
  const submit = () => {
    setSent(true)
    if (!subjectFault && !textFault) setConfirming(true)
  }
  const recipients = formatNumber(reach?.recipients ?? 0)
  const longForm = useLongForm(submit)
  return (
    <Dialog
      open
      onOpenChange={onClose}
      keepOpenOutside
      size="large"
      title={t('admin-game:mail.title')}
      description={t('admin-game:mail.hint')}
      footer={
        <>
          <Button onClick={onClose}>{t('common:action.cancel')}</Button>
          <Button type="submit" form={formId} variant="primary" disabled={!reach?.recipients}>
            {t('admin-game:mail.send')}
          </Button>
        </>
      }
    >
      <form {...longForm} id={formId} className="stack" noValidate>
        <Field label={t('admin-game:mail.audience')}>
          {(control) => (
            <Select
              {...control}
              value={choice}
              onValueChange={setChoice}
              options={[
                { value: 'accepted', label: t('admin-game:mail.accepted') },
                { value: 'all', label: t('admin-game:mail.all') },
                ...(divisions ?? []).map(({ id, name }) => ({ value: String(id), label: name })),
              ]}
            />
          )}
        </Field>
        {!reach && error && <ErrorState error={error} onRetry={() => mutate()} />}
        <p className="small muted" role="status">
          {reach && (reach.recipients > 0 ? t('admin-game:mail.recipients', { recipients }) : t('admin-game:mail.empty'))}
        </p>
        <Field label={t('admin-game:mail.subject')} error={isSent && subjectFault}>
          {(control) => <Input {...control} value={subject} onChange={(event) => draft.set({ subject: event.target.value })} />}
        </Field>
        <Field label={t('admin-game:mail.text')} hint={t('admin-game:mail.textHint')} error={isSent && textFault}>
          {(control) => (
            <Textarea {...control} rows={8} value={text} onChange={(event) => draft.set({ text: event.target.value })} />
          )}
        </Field>
      </form>
      {isConfirming && (
        <ConfirmationDialog
          open
          onOpenChange={() => setConfirming(false)}
          title={t('admin-game:mail.question')}
          description={t('admin-game:mail.recipients', { recipients })}
          confirm={t('admin-game:mail.send')}
          busy={send.busy}
          error={send.error === undefined ? undefined : <ErrorText error={send.error} />}
          onConfirm={() => void send.run()}
        />
      )}
    </Dialog>
  )
}
