import type { FullChallenge } from '@capstan/contract/challenge'
import { InputLimits } from '@capstan/contract/limits'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { Card } from '../../components/ui/card.tsx'
import { Field } from '../../components/ui/field.tsx'
import { Input } from '../../components/ui/input.tsx'
import { AddFlagFilesForm } from './add-files.tsx'
import { AddFlagForm } from './add-flag.tsx'
import { AddFlagLinesForm } from './add-lines.tsx'
import type { rateFlagFileSupply } from './flag-lines.ts'
import { FlagList } from './flag-list.tsx'
import { type SectionProps, useFieldFault } from './sections.tsx'
import { FileSupplyAlert } from './supply-alert.tsx'
import { FlagTemplateField } from './template-field.tsx'

type FlagsSectionProps = SectionProps &
  Readonly<{
    gameId: number
    whole: FullChallenge
    /** Number of teams that participate or wait for a review. */
    teams: number
    supply: ReturnType<typeof rateFlagFileSupply>
  }>

export function FlagsSection({ gameId, whole, teams, supply, ...section }: FlagsSectionProps) {
  const { t } = useTranslation('admin-challenges')
  const { type, flags } = whole.challenge
  const { form, set } = section
  const faultOf = useFieldFault(section)
  const known = useMemo(() => new Set(flags.map(({ flag }) => flag)), [flags])
  const add = { gameId, whole, known }
  if (type === 'DynamicContainer')
    return (
      <Card title={t('card.flag')}>
        <FlagTemplateField value={form.template} error={faultOf('template')} onValueChange={(template) => set({ template })} />
      </Card>
    )
  if (type !== 'DynamicAttachment')
    return (
      <div className="columns-even">
        <Card title={t('flags.list')}>
          <FlagList gameId={gameId} whole={whole} />
        </Card>
        <AddFlagForm {...add} />
      </div>
    )
  return (
    <div className="columns-even">
      <div className="stack">
        <FileSupplyAlert files={flags.length} teams={teams} supply={supply} />
        <Card title={t('card.files')}>
          <div className="stack">
            <Field label={t('field.attachmentName')} hint={t('hint.fileName')} error={faultOf('attachmentName')}>
              {(control) => (
                <Input
                  {...control}
                  value={form.attachmentName}
                  maxLength={InputLimits.maxFileNameLength}
                  onChange={(event) => set({ attachmentName: event.target.value })}
                />
              )}
            </Field>
            <FlagList gameId={gameId} whole={whole} />
          </div>
        </Card>
      </div>
      <div className="stack">
        <Card title={t('flags.files')}>
          <AddFlagFilesForm {...add} />
        </Card>
        <Card title={t('flags.pairs')}>
          <AddFlagLinesForm {...add} kind="pairs" />
        </Card>
      </div>
    </div>
  )
}
