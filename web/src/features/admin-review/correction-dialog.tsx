import type { CorrectionKind } from '@capstan/contract/corrections'
import { Limits } from '@capstan/contract/limits'
import { operations, ownOperations } from '@capstan/contract/operations'
import { correctionKinds } from '@capstan/contract/vocabulary'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { TimeField } from '../../components/editing/time-field.tsx'
import { Field, FieldError } from '../../components/ui/field.tsx'
import { useAction } from '../../components/ui/form.ts'
import { FormDialog } from '../../components/ui/form-dialog.tsx'
import { Select, Textarea } from '../../components/ui/input.tsx'
import { toFormRefusal, useLengthFault } from '../../components/ui/refusal.tsx'
import { ErrorText } from '../../components/ui/states.tsx'
import { SegmentedControl } from '../../components/ui/tabs.tsx'
import { showErrorToast, showToast } from '../../components/ui/toast.ts'
import { call } from '../../lib/http.ts'
import { useCall } from '../../lib/server-state.ts'
import { refreshCorrections, revokeCorrection } from './revoke.ts'

type CorrectionDialogProps = Readonly<{
  gameId: number
  team: Readonly<{ id: number; name: string }>
  onClose: () => void
}>

/** Dialog that grants a solve to a team or takes one of its solves back, with a reason. */
export function CorrectionDialog({ gameId, team, onClose }: CorrectionDialogProps) {
  const { t } = useTranslation(['admin-review', 'common'])
  const lengthFault = useLengthFault()
  const [kind, setKind] = useState<CorrectionKind>('Granted')
  const [challenge, setChallenge] = useState('')
  const [solvedAt, setSolvedAt] = useState('')
  const [reason, setReason] = useState('')
  const [isSent, setSent] = useState(false)
  const challenges = useCall(operations.adminListChallenges, { params: { id: gameId } })
  const reasonFault = lengthFault(reason.trim(), 1, Limits.maxReasonLength)
  const save = useAction(async () => {
    const body = {
      ...{ teamId: team.id, challengeId: Number(challenge), kind, reason },
      ...(kind === 'Granted' && solvedAt !== '' && { solvedAt: Date.parse(solvedAt) }),
    }
    const correction = await call(ownOperations.correctSolve, { params: { id: gameId }, body })
    await refreshCorrections(gameId)
    showToast({
      tone: 'ok',
      title: t(`admin-review:correction.saved.${kind}`, { team: team.name }),
      text: correction.challenge,
      lastsMs: 10_000,
      action: {
        label: t('common:action.undo'),
        run: () => void revokeCorrection(gameId, correction).catch(showErrorToast),
      },
    })
    onClose()
  })
  const refusal = toFormRefusal(save.error, ['reason'])
  const submit = () => {
    setSent(true)
    return challenge === '' || reasonFault ? undefined : save.run()
  }
  return (
    <FormDialog
      keepOpenOutside
      title={t('admin-review:correction.title', { team: team.name })}
      submitLabel={t(`admin-review:correction.${kind}`)}
      busy={save.busy}
      noValidate
      onSubmit={submit}
      onClose={onClose}
    >
      <SegmentedControl
        label={t('admin-review:award.kind')}
        value={kind}
        onValueChange={(next) => {
          save.reset()
          setKind(next)
        }}
        options={correctionKinds.map((value) => ({ value, label: t(`admin-review:correction.${value}`) }))}
      />
      <p className="small muted">{t(`admin-review:correction.text.${kind}`)}</p>
      <Field
        label={t('admin-review:correction.challenge')}
        error={isSent && challenge === '' ? t('admin-review:correction.challengeMissing') : undefined}
      >
        {(control) => (
          <Select
            {...control}
            value={challenge}
            placeholder={t('admin-review:correction.challengeMissing')}
            onValueChange={setChallenge}
            options={(challenges.data ?? []).map(({ id, title }) => ({ value: String(id), label: title }))}
          />
        )}
      </Field>
      {kind === 'Granted' && <TimeField label={t('admin-review:correction.time')} value={solvedAt} onValueChange={setSolvedAt} />}
      <Field label={t('admin-review:award.reason')} error={(isSent && reasonFault) || refusal.of('reason')}>
        {(control) => <Textarea {...control} rows={3} value={reason} onChange={(event) => setReason(event.target.value)} />}
      </Field>
      {refusal.rest}
      {save.error === undefined && challenges.error !== undefined && (
        <FieldError>
          <ErrorText error={challenges.error} />
        </FieldError>
      )}
    </FormDialog>
  )
}
