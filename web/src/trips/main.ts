import { createApp } from "vue";
import "../shared/base.css";
import Trips from "./Trips.vue";

createApp(Trips).mount("#page");
