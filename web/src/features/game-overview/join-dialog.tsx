import type { GameDetail } from '@capstan/contract/games'
import { Limits } from '@capstan/contract/limits'
import { operations } from '@capstan/contract/operations'
import type { TeamInfo } from '@capstan/contract/teams'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { TeamRequiredAlert } from '../../components/layout/page.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { Field } from '../../components/ui/field.tsx'
import { onSubmit, useAction } from '../../components/ui/form.ts'
import { Input, Select } from '../../components/ui/input.tsx'
import { announce } from '../../components/ui/live-region.tsx'
import { refusalOf } from '../../components/ui/refusal.tsx'
import { call } from '../../lib/http.ts'
import { refreshUnder } from '../../lib/server-state.ts'
import { type JoinDraft, needsOf, problemsOf, requestOf } from './join-request.ts'

interface JoinDialogProps {
  readonly game: GameDetail
  /** Teams of the player. */
  readonly teams: readonly TeamInfo[]
  /** Lives in the page, so that closing and opening again loses nothing. */
  readonly draft: JoinDraft
  readonly onDraftChange: (draft: JoinDraft) => void
  readonly onClose: () => void
}

/** Registration for a game: team, division, invitation code. */
export function JoinDialog({ game, teams, draft: known, onDraftChange, onClose }: JoinDialogProps) {
  const { t } = useTranslation(['games', 'common'])
  const form = useId()
  const [sent, setSent] = useState(false)
  const only = teams.length === 1 ? teams[0]?.id : undefined
  const chosen = teams.find((team) => team.id === (known.teamId ?? only))
  const divisions = game.organizations ?? []
  const draft: JoinDraft = {
    ...known,
    teamId: chosen?.id,
    division: divisions.includes(known.division) ? known.division : divisions.length === 1 ? (divisions[0] ?? '') : '',
  }
  const needs = needsOf(game, draft.division)
  const problems = problemsOf(draft, needs)
  const change = (changes: Partial<JoinDraft>) => onDraftChange({ ...draft, ...changes })
  const join = useAction(async () => {
    if (!chosen) return
    await call(operations.joinGame, { params: { id: game.id }, body: requestOf(chosen.id, draft, needs) })
    await refreshUnder(`/api/game/${game.id}`)
    announce(t('games:join.done'))
    onClose()
  })
  const refusal = refusalOf(join.error, [
    'team',
    ...(needs.division ? (['division'] as const) : []),
    ...(needs.code ? (['code'] as const) : []),
  ])
  const submit = () => {
    setSent(true)
    return problems ? undefined : join.run()
  }
  const again = game.status === 'Rejected'
  return (
    <Dialog
      open
      keepOpenOutside
      onOpenChange={onClose}
      title={t(again ? 'games:join.again' : 'games:join.title', { game: game.title })}
      description={t('games:join.text')}
      footer={
        <>
          <Button onClick={onClose}>{t('common:action.cancel')}</Button>
          <Button type="submit" form={form} variant="primary" busy={join.busy}>
            {t(again ? 'games:step.rejected.action' : 'games:join.submit')}
          </Button>
        </>
      }
    >
      <form id={form} className="stack" noValidate onSubmit={onSubmit(submit)}>
        {teams.length === 0 && <TeamRequiredAlert />}
        <Field
          label={t('games:join.team')}
          hint={game.limit > 0 ? t('games:join.teamHint', { count: game.limit }) : undefined}
          error={sent && problems?.team ? t('games:join.teamMissing') : refusal.of('team')}
        >
          {(control) => (
            <Select
              {...control}
              value={chosen ? String(chosen.id) : ''}
              placeholder={t('games:join.teamPlaceholder')}
              options={teams.map((team) => ({ value: String(team.id), label: team.name ?? '' }))}
              onValueChange={(value) => change({ teamId: Number(value) })}
            />
          )}
        </Field>
        {needs.division && (
          <Field
            label={t('games:join.division')}
            error={sent && problems?.division ? t('games:join.divisionMissing') : refusal.of('division')}
          >
            {(control) => (
              <Select
                {...control}
                value={draft.division}
                placeholder={t('games:join.divisionPlaceholder')}
                options={divisions.map((division) => ({ value: division, label: division }))}
                onValueChange={(division) => change({ division })}
              />
            )}
          </Field>
        )}
        {needs.code && (
          <Field
            label={
              needs.code === 'division'
                ? t('games:join.codeOfDivision', { division: draft.division })
                : t('games:join.codeOfGame')
            }
            hint={t('games:join.codeHint')}
            error={sent && problems?.code ? t('games:join.codeMissing') : refusal.of('code')}
          >
            {(control) => (
              <Input
                {...control}
                value={draft.code}
                maxLength={Math.max(Limits.gameCodeMaxLength, Limits.divisionCodeMaxLength)}
                autoComplete="off"
                autoCapitalize="none"
                spellCheck={false}
                onChange={(event) => change({ code: event.target.value })}
              />
            )}
          </Field>
        )}
        {refusal.rest}
      </form>
    </Dialog>
  )
}
