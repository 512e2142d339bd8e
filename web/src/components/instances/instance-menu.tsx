import type { TeamInstance } from '@capstan/contract/challenges'
import type { ReactNode } from 'react'
import { paths } from '../../lib/paths.ts'
import { MenuItem, PopupMenu } from '../ui/dropdown-menu.tsx'
import { useNow } from '../ui/time.tsx'
import { InstanceStateDot, InstanceTime } from './instance-link.tsx'

type InstanceMenuProps = Readonly<{
  trigger: ReactNode
  gameId: number
  instances: readonly TeamInstance[]
}>

/**
 * Menu with links to the challenges of all instances. Its code loads when the user clicks the button, so the menu is open from its
 * first render.
 */
export function InstanceMenu({ trigger, gameId, instances }: InstanceMenuProps) {
  const now = useNow()
  return (
    <PopupMenu trigger={trigger} defaultOpen>
      {instances.map((instance) => (
        <MenuItem
          key={instance.challengeId}
          to={paths.challenges.to(gameId, instance.challengeId)}
          icon={<InstanceStateDot instances={[instance]} now={now} />}
          end={<InstanceTime instance={instance} now={now} />}
        >
          <bdi>{instance.title}</bdi>
        </MenuItem>
      ))}
    </PopupMenu>
  )
}
