import { Limits } from '@capstan/contract/limits'
import { ownOperations } from '@capstan/contract/operations'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { isIntegerTextBetween, NumberField } from '../../components/editing/number-field.tsx'
import { Field, Switch } from '../../components/ui/field.tsx'
import { useAction } from '../../components/ui/form.ts'
import { FormDialog } from '../../components/ui/form-dialog.tsx'
import { Textarea } from '../../components/ui/input.tsx'
import { toFormRefusal, useLengthFault } from '../../components/ui/refusal.tsx'
import { SegmentedControl } from '../../components/ui/tabs.tsx'
import { showErrorToast, showToast } from '../../components/ui/toast.ts'
import { formatNumber } from '../../lib/format.ts'
import { call } from '../../lib/http.ts'
import { refreshAwards, revokeAward } from './revoke.ts'

type AwardDialogProps = Readonly<{
  gameId: number
  team: Readonly<{ id: number; name: string }>
  onClose: () => void
}>

/** Dialog that gives points to a team or takes points away from it, with a reason. */
export function AwardDialog({ gameId, team, onClose }: AwardDialogProps) {
  const { t } = useTranslation(['admin-review', 'common'])
  const lengthFault = useLengthFault()
  const [kind, setKind] = useState<'give' | 'take'>('give')
  const [text, setText] = useState('')
  const [reason, setReason] = useState('')
  const [isReasonShown, setReasonShown] = useState(true)
  const [isSent, setSent] = useState(false)
  const isAmount = isIntegerTextBetween(text, 1, Limits.maxAwardPoints)
  const reasonFault = lengthFault(reason.trim(), 1, Limits.maxReasonLength)
  const save = useAction(async (points: number) => {
    const body = { teamId: team.id, points, reason, isReasonShown }
    const award = await call(ownOperations.createAward, { params: { id: gameId }, body })
    await refreshAwards(gameId)
    showToast({
      tone: 'ok',
      title: t('admin-review:award.saved', { team: team.name }),
      text: formatNumber(points, { signDisplay: 'always' }),
      lastsMs: 10_000,
      action: {
        label: t('common:action.undo'),
        run: () => void revokeAward(gameId, award).catch(showErrorToast),
      },
    })
    onClose()
  })
  const refusal = toFormRefusal(save.error, ['points', 'reason'])
  const submit = () => {
    setSent(true)
    return !isAmount || reasonFault ? undefined : save.run(kind === 'give' ? Number(text) : -Number(text))
  }
  return (
    <FormDialog
      keepOpenOutside
      title={t('admin-review:award.title', { team: team.name })}
      submitLabel={t(`admin-review:award.${kind}`)}
      busy={save.busy}
      noValidate
      onSubmit={submit}
      onClose={onClose}
    >
      <SegmentedControl
        label={t('admin-review:award.kind')}
        value={kind}
        onValueChange={setKind}
        options={(['give', 'take'] as const).map((value) => ({ value, label: t(`admin-review:award.${value}`) }))}
      />
      <NumberField
        label={t('admin-review:award.points')}
        value={text}
        onValueChange={setText}
        min={1}
        max={Limits.maxAwardPoints}
        error={isSent && !isAmount ? t('admin-review:award.pointsFault', { max: Limits.maxAwardPoints }) : refusal.of('points')}
      />
      <Field label={t('admin-review:award.reason')} error={(isSent && reasonFault) || refusal.of('reason')}>
        {(control) => <Textarea {...control} rows={3} value={reason} onChange={(event) => setReason(event.target.value)} />}
      </Field>
      <Switch
        label={t('admin-review:award.shown')}
        hint={t('admin-review:award.shownHint')}
        checked={isReasonShown}
        onCheckedChange={setReasonShown}
      />
      {refusal.rest}
    </FormDialog>
  )
}
