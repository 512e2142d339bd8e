import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { Avatar } from '../../components/ui/avatar.tsx'
import { cx } from '../../components/ui/cx.ts'
import styles from './profile.module.css'

type Person = Readonly<{
  id: string | number
  name: string
  avatar: string | null
  to: string | undefined
  note?: ReactNode
}>

type PeopleProps = Readonly<{
  id: string
  title: string
  team?: boolean
  people: readonly Person[]
  /** Text that replaces an empty list. */
  none?: string
}>

export function PeopleList({ id, title, team, people, none }: PeopleProps) {
  return (
    <section className="stack gap-3" aria-labelledby={id}>
      <h2 id={id} className="size-16">
        {title}
      </h2>
      <div className="frame padded">
        {people.length === 0 && <p className="muted">{none}</p>}
        <ul className={cx('stack gap-1', styles.people)}>
          {people.map((person) => (
            <li key={person.id} className="line gap-3">
              <Avatar name={person.name} src={person.avatar} size={28} {...(team && { team })} />
              {person.to === undefined ? (
                <bdi className="truncate">{person.name}</bdi>
              ) : (
                <Link to={person.to} className="truncate">
                  <bdi>{person.name}</bdi>
                </Link>
              )}
              {person.note}
            </li>
          ))}
        </ul>
      </div>
    </section>
  )
}
