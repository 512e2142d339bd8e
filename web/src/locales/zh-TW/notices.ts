export default {
  title: '公告',
  titleOf: '{{game}} 的公告',
  loading: '正在載入公告',
  filter: {
    label: '顯示公告',
    all: '全部',
    game: '比賽',
    events: '事件',
    challenge: '題目',
  },
  before: {
    title: '比賽尚未開始',
    text: '公告隨比賽開放：主辦單位消息、新題目、提示和一二三血。',
  },
  empty: {
    title: '還沒有公告',
    text: '主辦單位消息、新題目、提示和一二三血會自動顯示在這裡。',
  },
  emptyFilter: {
    game: {
      title: '主辦單位還沒有消息',
      text: '主辦單位發布的消息會自動顯示在這裡。',
    },
    events: {
      title: '還沒有一血',
      text: '最先解出題目的三支隊伍會顯示在這裡。',
    },
    challenge: {
      title: '沒有新題目或提示',
      text: '主辦單位在比賽中新增後會顯示在這裡。',
    },
  },
  showAll: '顯示較早的公告',
  more: '顯示更多',
  today: '今天',
  yesterday: '昨天',
  type: {
    Normal: '消息',
    FirstBlood: '一血',
    SecondBlood: '二血',
    ThirdBlood: '三血',
    NewHint: '新提示',
    NewChallenge: '新題目',
  },
  text: {
    blood: '<who>{{team}}</who> 解出了 <what>{{challenge}}</what>',
    NewHint: '<what>{{challenge}}</what> 新增了提示',
    NewChallenge: '<what>{{challenge}}</what> 現已開放',
  },
  unread: { title: '未讀消息', read: '標為已讀', readAll: '全部標為已讀' },
  fresh: '新',
  failed: '取得公告失敗',
} as const
