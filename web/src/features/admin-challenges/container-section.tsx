import type { FullChallenge } from '@capstan/contract/challenge'
import { Copy, CornerLeftUp, Trash2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { IconButton } from '../../components/ui/button.tsx'
import { ContainerCard } from './container-card.tsx'
import { ContainerSettingsCard } from './container-settings-card.tsx'
import { ContainersCard } from './containers-card.tsx'
import { addContainerCopy, moveToEntryContainer, removeContainer, type TypedContainer } from './containers-form.ts'
import { NetworkAccessCard } from './network-access-card.tsx'
import { NetworkCard } from './network-card.tsx'
import { TestContainerPanel } from './test-container.tsx'
import type { useContainerSelection } from './use-container-selection.ts'

type ContainerSectionProps = Readonly<{
  gameId: number
  whole: FullChallenge
  containers: readonly TypedContainer[]
  selection: Pick<ReturnType<typeof useContainerSelection>, 'faults' | 'selected' | 'select'>
  onChange: (containers: readonly TypedContainer[]) => void
  /** True if the form contains settings that are not saved yet. */
  hasUnsaved: boolean
}>

/** Form for the containers of a challenge. The user edits one container at a time. */
export function ContainerSection(props: ContainerSectionProps) {
  const { gameId, whole, containers, selection, onChange, hasUnsaved } = props
  const { faults, selected, select } = selection
  const { choices, challenge } = whole
  const index = Math.min(selected, containers.length - 1)
  const container = containers[index]
  if (!container) return null
  const one = {
    container,
    isEntry: index === 0,
    faults: faults[index] ?? {},
    set: (patch: Partial<TypedContainer>) =>
      onChange(containers.map((each) => (each === container ? { ...each, ...patch } : each))),
  }
  const hasOthers = containers.length > 1
  const stored = challenge.containers.find(({ name }) => name === container.name)?.definition.secrets ?? []
  return (
    <div className="columns-even">
      <div className="stack">
        {(hasOthers || choices.maxContainers > 1) && (
          <ContainersCard
            containers={containers}
            maxContainers={choices.maxContainers}
            faults={faults}
            selected={index}
            onSelect={select}
            onChange={onChange}
          />
        )}
        <ContainerCard
          {...one}
          hasOthers={hasOthers}
          actions={hasOthers && <Actions {...props} selected={index} onSelect={select} />}
        />
        <NetworkAccessCard {...one} containers={containers} />
        {hasOthers && <NetworkCard {...one} others={containers.filter((each) => each !== container)} />}
        <ContainerSettingsCard {...one} key={container.key} choices={choices} secrets={stored.map(({ name }) => name)} />
      </div>
      <div className="sticky">
        <TestContainerPanel gameId={gameId} whole={whole} hasUnsaved={hasUnsaved} />
      </div>
    </div>
  )
}

type ActionsProps = Pick<ContainerSectionProps, 'whole' | 'containers' | 'onChange'> &
  Readonly<{
    selected: number
    onSelect: (index: number) => void
  }>

/** Buttons that copy, move and remove the selected container. */
function Actions({ whole, containers, selected, onSelect, onChange }: ActionsProps) {
  const { t } = useTranslation('admin-container')
  const name = containers[selected]?.name
  const apply = (changed: readonly TypedContainer[], next: number) => {
    onChange(changed)
    onSelect(next)
  }
  return (
    <span className="line gap-1">
      {selected > 0 && (
        <IconButton
          label={t('containers.makeEntry', { name })}
          onClick={() => apply(moveToEntryContainer(containers, selected), 0)}
        >
          <CornerLeftUp />
        </IconButton>
      )}
      {containers.length < whole.choices.maxContainers && (
        <IconButton
          label={t('containers.duplicate', { name })}
          onClick={() => apply(addContainerCopy(containers, selected), containers.length)}
        >
          <Copy />
        </IconButton>
      )}
      <IconButton
        label={t('containers.remove', { name })}
        onClick={() => apply(removeContainer(containers, selected), Math.max(0, selected - 1))}
      >
        <Trash2 />
      </IconButton>
    </span>
  )
}
