/** A game that is over: who won, and how. */
export default {
  title: '結果',
  podium: '前三名隊伍',
  none: '沒有隊伍得分。',
  own: '你的隊伍',
  rank: '排名',
  score: '得分',
  solved: '已解',
  of: '{{part}} / {{total}}',
  progress: '得分走勢',
  writeup: '你的 writeup',
  bloods: '一血最多',
  statistics: '按題目',
  all: '顯示全部 {{count}} 道題',
  unsolved: '尚無人解出',
  column: {
    challenge: '題目',
    points: '分值',
    solves: '解題數',
    first: '一血',
  },
  points_other: '{{count, number}} 分',
} as const
