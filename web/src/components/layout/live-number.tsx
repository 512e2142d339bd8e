import { type ComponentType, useEffect, useState } from 'react'
import { formatNumber } from '../../lib/format.ts'

type LiveNumberProps = Readonly<{
  value: number
  /** `count` shows the numbers between the old and the new one. `roll` slides the old number out and the new one in. */
  way: 'count' | 'roll'
}>

type Moving = ComponentType<LiveNumberProps & { readonly from: number }>

/** Number that is animated when it changes. The animation code loads with the first change. */
export function LiveNumber(props: LiveNumberProps) {
  const { value } = props
  const [first] = useState(value)
  const [Moving, setMoving] = useState<Moving>()
  const [isStill, setStill] = useState(false)
  const hasChanged = value !== first
  useEffect(() => {
    if (!hasChanged) return
    import('../ui/animated-number.tsx').then(
      ({ AnimatedNumber }) => setMoving(() => AnimatedNumber),
      () => setStill(true),
    )
  }, [hasChanged])
  if (Moving) return <Moving {...props} from={first} />
  return formatNumber(isStill ? value : first)
}
