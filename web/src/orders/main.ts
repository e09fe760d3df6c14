import { createApp } from "vue";
import "../shared/base.css";
import Orders from "./Orders.vue";

createApp(Orders).mount("#page");
