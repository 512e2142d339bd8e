import { Limits } from '@capstan/contract/limits'
import type { MonitoredSubmission } from '@capstan/contract/monitor'
import { ownOperations } from '@capstan/contract/operations'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Field } from '../../components/ui/field.tsx'
import { useAction } from '../../components/ui/form.ts'
import { FormDialog } from '../../components/ui/form-dialog.tsx'
import { Textarea } from '../../components/ui/input.tsx'
import { toFormRefusal, useLengthFault } from '../../components/ui/refusal.tsx'
import { showErrorToast, showToast } from '../../components/ui/toast.ts'
import { call } from '../../lib/http.ts'
import { refreshCallsWithPrefix } from '../../lib/server-state.ts'

type TakeBackDialogProps = Readonly<{
  gameId: number
  submission: MonitoredSubmission
  onClose: () => void
}>

/** Dialog that revokes the solve of a submission, with a reason. A toast offers to undo the revocation. */
export function RevokeSolveDialog({ gameId, submission, onClose }: TakeBackDialogProps) {
  const { t } = useTranslation(['monitor', 'common'])
  const lengthFault = useLengthFault()
  const [reason, setReason] = useState('')
  const [isSent, setSent] = useState(false)
  const { team, teamId, challenge, challengeId } = submission
  const fault = lengthFault(reason.trim(), 1, Limits.maxReasonLength)
  const readAgain = () => refreshCallsWithPrefix(`/api/edit/games/${gameId}/corrections`)
  const undo = async (correctionId: number) => {
    await call(ownOperations.revokeSolveCorrection, { params: { id: gameId, aid: correctionId } })
    await readAgain()
    showToast({ tone: 'ok', title: t('monitor:takeBack.undone', { team }), text: challenge })
  }
  const save = useAction(async () => {
    const body = { teamId, challengeId, kind: 'TakenBack' as const, reason }
    const { id } = await call(ownOperations.correctSolve, { params: { id: gameId }, body })
    await readAgain()
    showToast({
      tone: 'ok',
      title: t('monitor:takeBack.done', { team }),
      text: challenge,
      lastsMs: 10_000,
      action: { label: t('common:action.undo'), run: () => void undo(id).catch(showErrorToast) },
    })
    onClose()
  })
  const refusal = toFormRefusal(save.error, ['reason'])
  const submit = () => {
    setSent(true)
    return fault ? undefined : save.run()
  }
  return (
    <FormDialog
      keepOpenOutside
      title={t('monitor:takeBack.title', { challenge })}
      description={t('monitor:takeBack.text', { team })}
      submitLabel={t('monitor:takeBack.confirm')}
      busy={save.busy}
      danger
      noValidate
      onSubmit={submit}
      onClose={onClose}
    >
      <Field label={t('monitor:takeBack.reason')} error={(isSent && fault) || refusal.of('reason')}>
        {(control) => <Textarea {...control} rows={3} value={reason} onChange={(event) => setReason(event.target.value)} />}
      </Field>
      {refusal.rest}
    </FormDialog>
  )
}
