import type { FullChallenge } from '@capstan/contract/challenge'
import type { FlagKind } from '@capstan/contract/challenges'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Card } from '../../components/ui/card.tsx'
import { Field } from '../../components/ui/field.tsx'
import { Select } from '../../components/ui/input.tsx'
import { AddFlagLinesForm } from './add-lines.tsx'
import { AddFlagRuleForm, FlagAnswerTest } from './flag-rules.tsx'

type AddFlagProps = Readonly<{
  gameId: number
  whole: FullChallenge
  known: ReadonlySet<string>
}>

const kinds = ['Exact', 'Pattern', 'Caseless'] as const satisfies readonly FlagKind[]

/** Form that adds flags of every kind, and tests whether a text matches the stored flags or the entered flag. */
export function AddFlagForm({ gameId, whole, known }: AddFlagProps) {
  const { t } = useTranslation('admin-challenges')
  const [kind, setKind] = useState<FlagKind>('Exact')
  const [rule, setRule] = useState('')
  const draft = kind === 'Exact' || rule.trim() === '' ? null : { flag: rule, kind }
  return (
    <div className="stack">
      <Card title={t('flags.add')}>
        <div className="stack">
          <Field label={t('rules.kind')}>
            {(control) => (
              <Select
                {...control}
                value={kind}
                onValueChange={setKind}
                options={kinds.map((value) => ({ value, label: t(`rules.${value}`) }))}
              />
            )}
          </Field>
          {/* Both tabs stay mounted, so that typed input survives a change of the tab. */}
          <div hidden={kind !== 'Exact'}>
            <AddFlagLinesForm gameId={gameId} whole={whole} known={known} kind="flags" />
          </div>
          <div hidden={kind === 'Exact'}>
            <AddFlagRuleForm
              gameId={gameId}
              whole={whole}
              kind={kind === 'Caseless' ? 'Caseless' : 'Pattern'}
              flag={rule}
              onFlagChange={setRule}
            />
          </div>
        </div>
      </Card>
      <Card title={t('rules.try')}>
        <FlagAnswerTest gameId={gameId} challengeId={whole.id} draft={draft} />
      </Card>
    </div>
  )
}
