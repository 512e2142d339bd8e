import { type ComponentType, useEffect, useState } from 'react'
import { formatNumber } from '../../lib/format.ts'

type LiveNumberProps = Readonly<{
  value: number
  /** `count`: passes through the numbers between. `roll`: the new number pushes the old one out. */
  way: 'count' | 'roll'
}>

type Moving = ComponentType<LiveNumberProps & { readonly from: number }>

/** A number that moves when it changes. What moves it is loaded with the first change. */
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
