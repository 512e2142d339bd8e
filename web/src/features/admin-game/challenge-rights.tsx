import { challengeRights, hasRight } from '@capstan/contract/division-rights'
import type { ChallengePermissions } from '@capstan/contract/divisions'
import { operations } from '@capstan/contract/operations'
import { X } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { IconButton } from '../../components/ui/button.tsx'
import { Checkbox } from '../../components/ui/field.tsx'
import { Select } from '../../components/ui/input.tsx'
import { Table, tableEnd } from '../../components/ui/table.tsx'
import { useCall } from '../../lib/server-state.ts'
import { setDivisionRight } from './division-form.ts'

type ChallengeRightsProps = Readonly<{
  gameId: number
  /** Rights of the division. A new exception for a challenge starts with these rights. */
  permissions: number
  overrides: readonly ChallengePermissions[]
  onChange: (overrides: readonly ChallengePermissions[]) => void
}>

/**
 * Table of the challenges for which the division has special rights. The special rights replace the usual rights of the division.
 */
export function ChallengeRights({ gameId, permissions, overrides, onChange }: ChallengeRightsProps) {
  const { t } = useTranslation('admin-game')
  const { data: challenges = [] } = useCall(operations.adminListChallenges, { params: { id: gameId } })
  const titles = new Map(challenges.map(({ id, title }) => [id, title]))
  const titleOf = (id: number) => titles.get(id) ?? `#${id}`
  const chosen = new Set(overrides.map(({ challengeId }) => challengeId))
  const left = challenges.filter(({ id }) => !chosen.has(id))
  if (challenges.length === 0 && overrides.length === 0) return null
  return (
    <fieldset className="stack gap-3">
      <legend>{t('division.overrides')}</legend>
      {overrides.length > 0 && (
        <Table label={t('division.overrides')} dense>
          <thead>
            <tr>
              <th scope="col">{t('division.challenge')}</th>
              {challengeRights.map((right) => (
                <th key={right} scope="col">
                  {t(`division.column.${right}`)}
                </th>
              ))}
              <th />
            </tr>
          </thead>
          <tbody>
            {overrides.map((override) => {
              const title = titleOf(override.challengeId)
              return (
                <tr key={override.challengeId}>
                  <th scope="row">
                    <bdi className="truncate">{title}</bdi>
                  </th>
                  {challengeRights.map((right) => (
                    <td key={right}>
                      <Checkbox
                        bare
                        label={`${title}: ${t(`division.right.${right}`)}`}
                        checked={hasRight(override.permissions, right)}
                        onCheckedChange={(isGranted) =>
                          onChange(
                            overrides.map((each) =>
                              each === override
                                ? { ...each, permissions: setDivisionRight(each.permissions, right, isGranted) }
                                : each,
                            ),
                          )
                        }
                      />
                    </td>
                  ))}
                  <td className={tableEnd}>
                    <IconButton
                      size="small"
                      label={t('division.overrideRemove', { title })}
                      onClick={() => onChange(overrides.filter((each) => each !== override))}
                    >
                      <X />
                    </IconButton>
                  </td>
                </tr>
              )
            })}
          </tbody>
        </Table>
      )}
      {left.length > 0 && (
        <Select
          aria-label={t('division.overrideAdd')}
          value=""
          placeholder={t('division.overrideAdd')}
          options={left.map(({ id, title }) => ({ value: String(id), label: title }))}
          onValueChange={(id) => onChange([...overrides, { challengeId: Number(id), permissions }])}
        />
      )}
      <p className="small muted">{t('division.overrideHint')}</p>
    </fieldset>
  )
}
