import type { Award } from '@capstan/contract/awards'
import { Limits } from '@capstan/contract/limits'
import { ownOperations } from '@capstan/contract/operations'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { Field, Switch } from '../../components/ui/field.tsx'
import { onSubmit, useAction } from '../../components/ui/form.ts'
import { Input, Textarea } from '../../components/ui/input.tsx'
import { refusalOf, useLengthFault } from '../../components/ui/refusal.tsx'
import { Segments } from '../../components/ui/tabs.tsx'
import { toast } from '../../components/ui/toast.ts'
import { errorTitle } from '../../lib/error-title.ts'
import { formatNumber } from '../../lib/format.ts'
import { call } from '../../lib/http.ts'
import { refreshUnder } from '../../lib/server-state.ts'

/** Refreshes every list of awards of a game. */
function refreshAwards(gameId: number): Promise<unknown> {
  return refreshUnder(`/api/edit/games/${gameId}/awards`)
}

export async function revokeAward(gameId: number, { id }: Pick<Award, 'id'>): Promise<void> {
  await call(ownOperations.revokeAward, { params: { id: gameId, aid: id } })
  await refreshAwards(gameId)
}

/** Reads a whole number from 1 to the maximum. @returns undefined for any other text */
function readPoints(text: string): number | undefined {
  const points = /^\d{1,9}$/.test(text.trim()) ? Number(text) : 0
  return points >= 1 && points <= Limits.maxAwardPoints ? points : undefined
}

type AwardDialogProps = Readonly<{
  gameId: number
  team: { readonly id: number; readonly name: string }
  onClose: () => void
}>

/** Gives points to a team or takes them, with a reason. */
export function AwardDialog({ gameId, team, onClose }: AwardDialogProps) {
  const { t } = useTranslation(['admin-review', 'common'])
  const formId = useId()
  const lengthFault = useLengthFault()
  const [kind, setKind] = useState<'give' | 'take'>('give')
  const [text, setText] = useState('')
  const [reason, setReason] = useState('')
  const [isReasonShown, setReasonShown] = useState(true)
  const [isSent, setSent] = useState(false)
  const amount = readPoints(text)
  const reasonFault = lengthFault(reason.trim(), 1, Limits.maxReasonLength)
  const save = useAction(async (points: number) => {
    const body = { teamId: team.id, points, reason, isReasonShown }
    const award = await call(ownOperations.createAward, { params: { id: gameId }, body })
    await refreshAwards(gameId)
    toast({
      tone: 'ok',
      title: t('admin-review:award.saved', { team: team.name }),
      text: formatNumber(points, { signDisplay: 'always' }),
      lastsMs: 10_000,
      action: {
        label: t('common:action.undo'),
        run: () => void revokeAward(gameId, award).catch((error: unknown) => toast({ tone: 'bad', title: errorTitle(error) })),
      },
    })
    onClose()
  })
  const refusal = refusalOf(save.error, ['points', 'reason'])
  const submit = () => {
    setSent(true)
    return amount === undefined || reasonFault ? undefined : save.run(kind === 'give' ? amount : -amount)
  }
  return (
    <Dialog
      open
      keepOpenOutside
      onOpenChange={onClose}
      title={t('admin-review:award.title', { team: team.name })}
      footer={
        <>
          <Button onClick={onClose}>{t('common:action.cancel')}</Button>
          <Button type="submit" form={formId} variant="primary" busy={save.busy}>
            {t(`admin-review:award.${kind}`)}
          </Button>
        </>
      }
    >
      <form id={formId} className="stack" noValidate onSubmit={onSubmit(submit)}>
        <Segments
          label={t('admin-review:award.kind')}
          value={kind}
          onValueChange={setKind}
          options={(['give', 'take'] as const).map((value) => ({ value, label: t(`admin-review:award.${value}`) }))}
        />
        <Field
          label={t('admin-review:award.points')}
          error={
            isSent && amount === undefined
              ? t('admin-review:award.pointsFault', { max: Limits.maxAwardPoints })
              : refusal.of('points')
          }
        >
          {(control) => (
            <Input
              {...control}
              inputMode="numeric"
              autoComplete="off"
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
          )}
        </Field>
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
      </form>
    </Dialog>
  )
}
