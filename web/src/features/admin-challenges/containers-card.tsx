import { Plus } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { Card } from '../../components/ui/card.tsx'
import { formatNumber } from '../../lib/format.ts'
import type { FormFaults } from './container-faults.ts'
import { addEmptyContainer, sumContainerResources, type TypedContainer } from './containers-form.ts'
import { ContainersPicture } from './containers-picture.tsx'

type ContainersCardProps = Readonly<{
  containers: readonly TypedContainer[]
  maxContainers: number
  faults: readonly FormFaults[]
  selected: number
  onSelect: (index: number) => void
  onChange: (containers: readonly TypedContainer[]) => void
}>

/** Picture of the containers of a challenge, with the sums of their resources. Users can add and select containers. */
export function ContainersCard({ containers, maxContainers, faults, selected, onSelect, onChange }: ContainersCardProps) {
  const { t } = useTranslation('admin-container')
  const { t: tChallenges } = useTranslation('admin-challenges')
  const { cores, memoryMb, storageMb } = sumContainerResources(containers)
  return (
    <Card title={t('containers.title')}>
      <div className="stack">
        <p className="small muted">{t('containers.text', { most: maxContainers })}</p>
        {containers.length > 1 && (
          <>
            <ContainersPicture containers={containers} faults={faults} selected={selected} onSelect={onSelect} />
            <p className="small">
              {t('containers.sum', {
                cores: tChallenges('hint.cores', { count: cores }),
                memory: formatNumber(memoryMb),
                storage: formatNumber(storageMb),
              })}
            </p>
          </>
        )}
        {containers.length < maxContainers && (
          <div className="row">
            <Button
              onClick={() => {
                onChange(addEmptyContainer(containers))
                onSelect(containers.length)
              }}
            >
              <Plus aria-hidden />
              {t('containers.add')}
            </Button>
          </div>
        )}
      </div>
    </Card>
  )
}
