/** A game that is over: who won, and how. */
export default {
  title: '结果',
  podium: '前三名队伍',
  none: '没有队伍得分。',
  own: '你的队伍',
  rank: '排名',
  score: '得分',
  solved: '已解',
  of: '{{part}} / {{total}}',
  progress: '得分走势',
  writeup: '你的 writeup',
  bloods: '一血最多',
  statistics: '按题目',
  all: '显示全部 {{count}} 道题',
  unsolved: '尚无人解出',
  column: {
    challenge: '题目',
    points: '分值',
    solves: '解题数',
    first: '一血',
  },
  points_other: '{{count, number}} 分',
} as const
