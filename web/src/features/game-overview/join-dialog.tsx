import type { GameDetail } from '@capstan/contract/games'
import { Limits } from '@capstan/contract/limits'
import { operations, ownOperations } from '@capstan/contract/operations'
import { canCallerAnswer } from '@capstan/contract/question-rules'
import type { TeamInfo } from '@capstan/contract/teams'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { Button } from '../../components/ui/button.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { Field } from '../../components/ui/field.tsx'
import { useAction, useLongForm } from '../../components/ui/form.ts'
import { Input, Select } from '../../components/ui/input.tsx'
import { announceToScreenReaders } from '../../components/ui/live-region.tsx'
import { toFormRefusal } from '../../components/ui/refusal.tsx'
import { SkeletonLines } from '../../components/ui/skeleton.tsx'
import { ErrorState } from '../../components/ui/states.tsx'
import { serverNow } from '../../lib/clock.ts'
import { areChallengesViewable } from '../../lib/game.ts'
import { call } from '../../lib/http.ts'
import { paths } from '../../lib/paths.ts'
import { refreshCall, refreshCallsWithPrefix, setCallData, useCall } from '../../lib/server-state.ts'
import { useSession } from '../../lib/session.ts'
import { type AnswerDraft, findAnswerFaults, listChangedAnswers, toAnswerDraft } from './answer-draft.ts'
import { AnswerFields } from './answer-fields.tsx'
import {
  findMissingJoinInput,
  getInputRequiredToJoin,
  type JoinDraft,
  listJoinableDivisions,
  toJoinRequest,
} from './join-request.ts'

type JoinDialogProps = Readonly<{
  game: GameDetail
  teams: readonly TeamInfo[]
  draft: JoinDraft
  onDraftChange: (draft: JoinDraft) => void
  onClose: () => void
}>

/**
 * Dialog in which a player joins a game with team, division and invitation code. A player without a team creates one in this
 * dialog.
 */
export function JoinGameDialog({ game, teams, draft: known, onDraftChange, onClose }: JoinDialogProps) {
  const { t } = useTranslation(['joining', 'games', 'common'])
  const formId = useId()
  const navigate = useNavigate()
  const [sent, setSent] = useState(false)
  const isNew = teams.length === 0
  const only = teams.length === 1 ? teams[0]?.id : undefined
  const chosen = teams.find((team) => team.id === (known.teamId ?? only))
  const check = useCall(ownOperations.checkJoin, { params: { id: game.id } })
  const joinedDivision = check.data?.joinedTeams.find(({ id }) => id === chosen?.id)?.division ?? null
  const choice = listJoinableDivisions(game, joinedDivision, check.data?.joinableDivisions)
  const divisions = choice.organizations ?? []
  const draft: JoinDraft = {
    ...known,
    teamId: chosen?.id,
    division: divisions.includes(known.division) ? known.division : divisions.length === 1 ? (divisions[0] ?? '') : '',
  }
  const needs = getInputRequiredToJoin(choice, draft.division)
  const problems = findMissingJoinInput(draft, needs, isNew)
  const asks = (game.questions ?? 0) > 0
  const form = useCall(ownOperations.getRegistrationForm, asks ? { params: { id: game.id } } : null)
  const { profile } = useSession()
  const [typed, setTyped] = useState<AnswerDraft>({})
  const answers = { ...toAnswerDraft(form.data?.answers ?? []), ...typed }
  const isCaptain = isNew || chosen?.members?.some(({ id, captain }) => captain && id === profile?.userId) === true
  const questions = (form.data?.questions ?? []).filter((question) => canCallerAnswer(question, isCaptain))
  const faults = findAnswerFaults(questions, answers)
  const change = (changes: Partial<JoinDraft>) => onDraftChange({ ...draft, ...changes })
  const join = useAction(async () => {
    const params = { id: game.id }
    const team = chosen ?? (await call(operations.createTeam, { body: { name: draft.teamName.trim(), bio: '' } }))
    // A new team exists now, even if the next call fails.
    if (!chosen) await refreshCall(operations.listOwnTeams)
    await call(operations.joinGame, {
      params,
      body: { ...toJoinRequest(team.id, draft, needs), ...(asks && { answers: listChangedAnswers(questions, typed) }) },
    })
    const joined = await call(operations.getGame, { params })
    await setCallData([operations.getGame, { params }], joined)
    void refreshCallsWithPrefix(`/api/game/${game.id}`)
    announceToScreenReaders(t('joining:join.done'))
    onClose()
    if (joined.status === 'Accepted' && areChallengesViewable(joined, serverNow())) await navigate(paths.challenges.to(game.id))
  })
  const refusal = toFormRefusal(join.error, [
    isNew ? 'name' : 'team',
    ...(needs.division ? (['division'] as const) : []),
    ...(needs.code ? (['code'] as const) : []),
  ])
  const submit = () => {
    setSent(true)
    return problems || (asks && !form.data) || Object.keys(faults).length > 0 ? undefined : join.run()
  }
  const again = game.status === 'Rejected'
  const longForm = useLongForm(submit)
  return (
    <Dialog
      open
      keepOpenOutside
      onOpenChange={onClose}
      title={t(again ? 'joining:join.again' : 'joining:join.title', { game: game.title })}
      description={t('joining:join.text')}
      footer={
        <>
          <Button onClick={onClose}>{t('common:action.cancel')}</Button>
          <Button type="submit" form={formId} variant="primary" busy={join.busy || (asks && !form.data && !form.error)}>
            {again ? t('games:step.rejected.action') : isNew ? t('games:step.team.action') : t('joining:join.submit')}
          </Button>
        </>
      }
    >
      <form {...longForm} id={formId} className="stack" noValidate>
        {isNew ? (
          <Field
            label={t('joining:join.teamName')}
            hint={t('joining:join.teamNameHint')}
            error={sent && problems?.teamName ? t('joining:join.teamNameMissing') : refusal.of('name')}
          >
            {(control) => (
              <Input
                {...control}
                value={draft.teamName}
                maxLength={Limits.maxTeamNameLength}
                autoComplete="off"
                onChange={(event) => change({ teamName: event.target.value })}
              />
            )}
          </Field>
        ) : (
          <Field
            label={t('joining:join.team')}
            hint={game.limit > 0 ? t('joining:join.teamHint', { count: game.limit }) : undefined}
            error={sent && problems?.team ? t('joining:join.teamMissing') : refusal.of('team')}
          >
            {(control) => (
              <Select
                {...control}
                value={chosen ? String(chosen.id) : ''}
                placeholder={t('joining:join.teamPlaceholder')}
                options={teams.map((team) => ({ value: String(team.id), label: team.name ?? '' }))}
                onValueChange={(value) => change({ teamId: Number(value) })}
              />
            )}
          </Field>
        )}
        {needs.division && (
          <Field
            label={t('joining:join.division')}
            error={sent && problems?.division ? t('joining:join.divisionMissing') : refusal.of('division')}
          >
            {(control) => (
              <Select
                {...control}
                value={draft.division}
                disabled={choice.isFixed}
                placeholder={t('joining:join.divisionPlaceholder')}
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
                ? t('joining:join.codeOfDivision', { division: draft.division })
                : t('joining:join.codeOfGame')
            }
            hint={t('joining:join.codeHint')}
            error={sent && problems?.code ? t('joining:join.codeMissing') : refusal.of('code')}
          >
            {(control) => (
              <Input
                {...control}
                value={draft.code}
                maxLength={Math.max(Limits.maxGameCodeLength, Limits.maxDivisionCodeLength)}
                autoComplete="off"
                autoCapitalize="none"
                spellCheck={false}
                onChange={(event) => change({ code: event.target.value })}
              />
            )}
          </Field>
        )}
        {asks && !form.data && (form.error ? <ErrorState error={form.error} onRetry={() => form.mutate()} /> : <SkeletonLines />)}
        <AnswerFields
          gameId={game.id}
          questions={questions}
          draft={answers}
          faults={sent ? faults : {}}
          onChange={(changed) => setTyped((known) => ({ ...known, ...changed }))}
        />
        {refusal.rest}
      </form>
    </Dialog>
  )
}
